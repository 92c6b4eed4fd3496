// Asks the API server for a write that the guard objects to, as a dry run: the way of every write, from end to end.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port, NODE_EXTRA_CA_CERTS: authority } = process.env;
const path = 'apis/placement.kubernetes-fleet.io/v1beta1/clusterstagedupdatestrategies?dryRun=All';
const strategy = {
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterStagedUpdateStrategy',
  metadata: { name: 'stageguard-check' },
  spec: { stages: [] },
};
// The webhooks come into force some seconds after the pods are ready.
const tries = 30;
const pauseMilliseconds = 2000;

async function ask() {
  // The token of a ServiceAccount lies beside the CA of its API server.
  const token = await readFile(join(dirname(authority), 'token'), 'utf8');
  const answer = await fetch(`https://${host.includes(':') ? `[${host}]` : host}:${port}/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(strategy),
  });
  const { message = `the write was let through with ${answer.status}` } = await answer.json();
  const isRefused = message.includes('strategies.validate.stageguard.io') && message.includes('denied the request');
  // Where the rule is set to warn, the guard answers so.
  const warning = answer.headers.get('warning') ?? '';
  const isWarned = warning.includes('strategy-stages-present') && !warning.includes('ValidatingAdmissionPolicy');
  const isAsked = isRefused || isWarned;
  return { isAsked, text: isRefused ? message : warning || message };
}

/** A connection that breaks is one try of many. */
const tryAsk = () => ask().catch((error) => ({ isAsked: false, text: String(error.cause ?? error) }));

let last = await tryAsk();
for (let count = 1; !last.isAsked && count < tries; count++) {
  await sleep(pauseMilliseconds);
  last = await tryAsk();
}
console.log(last.isAsked ? 'The API server asks the guard, and the guard answers:' : 'The guard does not answer:');
console.log(last.text);
process.exitCode = last.isAsked ? 0 : 1;
