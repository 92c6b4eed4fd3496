// Asks the API server for a write that the guard refuses, as a dry run: the way of every write, from end to end.
import { readFile } from 'node:fs/promises';

const account = '/var/run/secrets/kubernetes.io/serviceaccount';
const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = process.env;
const path = 'apis/placement.kubernetes-fleet.io/v1beta1/clusterstagedupdatestrategies?dryRun=All';
const strategy = {
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterStagedUpdateStrategy',
  metadata: { name: 'stageguard-check' },
  spec: { stages: [] },
};

const token = await readFile(`${account}/token`, 'utf8');
const answer = await fetch(`https://${host?.includes(':') ? `[${host}]` : host}:${port}/${path}`, {
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify(strategy),
});
const { message = '' } = await answer.json();
const isAsked = message.includes('strategies.validate.stageguard.io') && !message.includes('failed calling webhook');
console.log(isAsked ? 'The API server asks the guard, and the guard answers:' : 'The guard did not answer:');
console.log(message || `the write was let through with ${answer.status}`);
process.exitCode = isAsked ? 0 : 1;
