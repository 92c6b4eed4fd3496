import { expect } from '@jest/globals';
import { kindIn } from '../../../src/fleet/kinds.js';
import { apply, put, send, type Sent, type Site } from '../fixes/case.js';
import { mustWork, runOf, within } from '../fixes/ground.js';
import { eventually } from '../harness/eventually.js';
import { conditionNow, type Condition } from '../harness/hub-objects.js';
import { paste, type Ran } from '../harness/kubectl.js';
import { pathOf } from '../harness/paths.js';
import { conditionOf, objectOf, placement, scheduled, stage, strategy } from '../harness/world.js';
import { readRequest } from './prepared.js';

const stages = [
  stage('canary', { afterStageTasks: [{ type: 'Approval' }] }),
  stage('production', { beforeStageTasks: [{ type: 'Approval' }] }),
];

const first = ({ name }: Site): string => `${name}-after-canary`;
const second = ({ name }: Site): string => `${name}-before-production`;

/** A run that waits at the first of its two gates. */
export async function waitAtGate(site: Site): Promise<void> {
  const { hub, scope, name } = site;
  await put(site, placement(scope, name), strategy(scope, name, stages));
  await scheduled(hub, scope, name);
  await mustWork(site, apply(runOf(site)));
  await gateExists(site, first(site));
}

function gateExists({ hub, scope }: Site, name: string): Promise<true> {
  return eventually(`${name} exists`, async () => {
    const { status } = await hub.api('admin').get(pathOf('ApprovalRequest', scope, name));
    return status === 200 ? true : undefined;
  });
}

function patch({ scope }: Site, name: string, conditions: readonly object[], ...flags: readonly string[]): Sent {
  const { plural } = kindIn('ApprovalRequest', scope);
  const body = JSON.stringify({ status: { conditions } });
  return { args: ['patch', plural, name, ...within(scope), ...flags, '--type=merge', '-p', body] };
}

const status = '--subresource=status';
const answer = (value: string): Condition => conditionNow('Approved', { status: value, observedGeneration: 1 });

/** What kubectl prints, line by line. */
const linesOf = ({ stderr }: Ran): readonly string[] => stderr.split('\n').filter((line) => line !== '');

const approveCommand = (site: Site, name: string): string => {
  const words = [kindIn('ApprovalRequest', site.scope).plural, name, ...within(site.scope)].join(' ');
  return `kubectl patch ${words} --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}'`;
};

function refusedBy(site: Site, hook: string, name: string): string {
  const where = site.scope === undefined ? name : `${site.scope}/${name}`;
  const { kind } = kindIn('ApprovalRequest', site.scope);
  return `admission webhook "${hook}.validate.stageguard.io" denied the request: refused by 1 rule: ${kind} ${where}`;
}

/** Nobody but the controller says that it has seen an approval. */
export async function forge(site: Site): Promise<void> {
  const forged = conditionNow('ApprovalAccepted', { observedGeneration: 1 });
  const ran = await send(site, patch(site, first(site), [forged], status));
  expect([ran.code, ...linesOf(ran)]).toEqual([
    1,
    `Error from server (Forbidden): ${refusedBy(site, 'approval-grants', first(site))}`,
    '[approval-conditions] status.conditions[0].type: with the condition ApprovalAccepted only KubeFleet notes that it has seen an approval; user "alice" may not write it',
    '  Fix: To approve, set the condition Approved.',
    `    ${approveCommand(site, first(site))}`,
  ]);
  expect((await readRequest(site.hub, site.scope, first(site))).status).toBeUndefined();
}

/**
 * Nobody makes a request before the run gets to its gate: not for the gate, and not for another in its place. Returns
 * the command that is printed instead.
 */
export async function createBefore(site: Site): Promise<string> {
  const { scope, name } = site;
  const { plural } = kindIn('ApprovalRequest', scope);
  const create = async (called: string, parentStageRollout: string): Promise<Ran> =>
    send(site, apply(objectOf('ApprovalRequest', scope, called, { parentStageRollout, targetStage: 'production' })));
  const harm = {
    [name]: `KubeFleet makes this request itself when run "${name}" gets to stage "production"; one made by hand can open that gate too early`,
    other: `run "${name}" would find this request at stage "production" and be aborted, because it is for stage "production" of run "other"`,
  };
  for (const [target, message] of Object.entries(harm)) {
    const ran = await create(second(site), target);
    expect([ran.code, ...linesOf(ran)]).toEqual([
      1,
      `Error from server (Forbidden): error when creating "STDIN": ${refusedBy(site, 'approval-changes', second(site))}`,
      `[approval-created-by-controller] metadata.name: ${message}`,
      '  Fix: Let KubeFleet make the request. When it is there, approve it.',
      `    ${approveCommand(site, second(site))}`,
    ]);
  }
  const harmless = await create(`${name}-production`, name);
  expect([harmless.code, ...linesOf(harmless)]).toEqual([
    0,
    `Warning: [approval-created-by-controller] KubeFleet looks for no request of the name "${name}-production", so that it opens no gate; this stage is opened by "${second(site)}"`,
  ]);
  await mustWork(site, { args: ['delete', plural, `${name}-production`, ...within(scope)] });
  return approveCommand(site, second(site));
}

/** A no is stored, and its writer hears what does stop a run. */
export async function sayNo(site: Site): Promise<void> {
  for (const value of ['False', 'Unknown']) {
    const ran = await send(site, patch(site, first(site), [answer(value)], status));
    expect([ran.code, ...linesOf(ran)]).toEqual([
      0,
      `Warning: [approval-has-effect] Approved "${value}" is the same to KubeFleet as no answer, and the run goes on waiting; to halt run "${site.name}", set its spec.state to Stop, or delete it`,
    ]);
  }
}

/** A status that goes to the object itself is dropped; the command that is printed instead opens the gate. */
export async function approveAtTheWrongPlace(site: Site): Promise<void> {
  const ran = await send(site, patch(site, first(site), [answer('True')]));
  expect([ran.code, ...linesOf(ran)]).toEqual([
    0,
    'Warning: [approval-has-effect] status is ignored in this write: an approval takes effect only through the status subresource (--subresource=status, or kubectl fleet approve)',
    `Warning: Use: ${approveCommand(site, first(site))}`,
  ]);
  const [command = ''] = /kubectl patch .*/.exec(ran.stderr) ?? [];
  expect(await paste(site.hub, 'alice', command)).toMatchObject({ code: 0 });
  await conditionOf(site.hub, 'ApprovalRequest', site.scope, [first(site), 'ApprovalAccepted']);
}

/** What was accepted stays so, and whoever takes it back hears that. */
export async function takeBack(site: Site): Promise<void> {
  const ran = await send(site, patch(site, first(site), [answer('False')], status));
  expect([ran.code, ...linesOf(ran)]).toEqual([
    0,
    'Warning: [stamp-approval] put back condition ApprovalAccepted, which this write would have dropped',
    `Warning: [approval-has-effect] the approval was accepted already and cannot be taken back; to halt run "${site.name}", set its spec.state to Stop, or delete it`,
  ]);
}

/** What was refused too early works when the run is there, by the command that the refusal has printed. */
export async function approveInTime(site: Site, command: string): Promise<void> {
  await gateExists(site, second(site));
  expect(await paste(site.hub, 'alice', command)).toMatchObject({ code: 0 });
  await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Succeeded']);
}
