import { expect } from '@jest/globals';
import { kindIn } from '../../../src/fleet/kinds.js';
import { commandsOf, refusalOf } from '../fixes/refusal.js';
import { within } from '../fixes/ground.js';
import { eventually } from '../harness/eventually.js';
import type { Hub } from '../harness/hub.js';
import { conditionNow } from '../harness/hub-objects.js';
import { kubectl, paste, type Ran } from '../harness/kubectl.js';
import { pathOf, type Scope } from '../harness/paths.js';
import type { GuardedHub } from '../harness/use-guarded-hub.js';
import { storeProgress, storeRequest, storeRun, type PreparedRun } from './prepared.js';

/** An approval that would open nothing. */
export interface DeadRun {
  readonly run: string;
  /** How the run is stored; absent where it is gone. */
  readonly stored?: Pick<PreparedRun, 'gates' | 'conditions' | 'isLeaving'>;
  /** The gate that the request is for. */
  readonly gate: `${'before' | 'after'}-${string}`;
  readonly message: string;
  /** What is told beside it of a run that is in trouble. */
  readonly trouble?: string;
}

const canary = [{ stage: 'canary' }];
const opensNothing = 'this approval would open nothing';

export const deadRuns: readonly DeadRun[] = [
  {
    run: 'dead-finished',
    stored: { gates: canary, conditions: [conditionNow('Succeeded')] },
    gate: 'after-canary',
    message: `run "dead-finished" has finished: ${opensNothing}`,
  },
  {
    run: 'dead-failed',
    stored: { gates: canary, conditions: [conditionNow('Succeeded', { status: 'False' })] },
    gate: 'after-canary',
    message: `run "dead-failed" has failed: ${opensNothing}`,
    trouble: 'run "dead-failed" is in trouble: aborted: KubeFleet gave the run up: "AsItShould"',
  },
  {
    run: 'dead-leaving',
    stored: { gates: canary, isLeaving: true },
    gate: 'after-canary',
    message: `run "dead-leaving" is being deleted: ${opensNothing}`,
  },
  {
    run: 'dead-gone',
    gate: 'after-canary',
    message: `run "dead-gone" does not exist: ${opensNothing}`,
  },
  {
    run: 'dead-other-stage',
    stored: { gates: canary },
    gate: 'after-production',
    message: 'run "dead-other-stage" has no stage "production", only "canary"',
  },
  {
    run: 'dead-other-gate',
    stored: { gates: canary },
    gate: 'before-canary',
    message: 'run "dead-other-gate" waits for no approval before stage "canary"',
  },
];

export async function storeDeadRun(hub: Hub, scope: Scope, { run, stored, gate }: DeadRun): Promise<void> {
  if (stored !== undefined) await storeRun(hub, { scope, name: run, ...stored });
  const stage = gate.replace(/^\w+-/, '');
  await storeRequest(hub, { scope, name: `${run}-${gate}`, target: { run, stage } });
}

/** Approves it as people do, and compares all that kubectl prints; then does what it says. */
export async function approveDeadRun(hub: Hub, scope: Scope, { run, gate, message, trouble }: DeadRun): Promise<void> {
  const { plural } = kindIn('ApprovalRequest', scope);
  const name = `${run}-${gate}`;
  const { code, stderr } = await approve(hub, scope, name);
  expect([code, ...stderr.split('\n')]).toEqual([
    1,
    `Warning: ${stamped}`,
    ...(trouble === undefined ? [] : [`Warning: ${trouble}`]),
    `Error from server (Forbidden): ${refusedText('refused', scope, name)}`,
    `[approval-target-alive] status.conditions: ${message}`,
    '  Fix: Delete this request, and approve the one of a run that waits for it.',
    `    kubectl delete ${[plural, name, ...within(scope)].join(' ')}`,
    `    kubectl get ${[plural, ...within(scope)].join(' ')}`,
    '',
  ]);
  const commands = commandsOf(refusalOf('approval-target-alive', stderr) ?? { path: '', sentence: '', lines: [] });
  expect(commands).toHaveLength(2);
  for (const command of commands) expect(await paste(hub, 'alice', command)).toMatchObject({ code: 0 });
}

const bare = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };
const stamped =
  '[stamp-approval] condition Approved: set observedGeneration to 1 (it was absent); filled lastTransitionTime, reason, message, so that the controller accepts it';

function approve(hub: Hub, scope: Scope, name: string): Promise<Ran> {
  const { plural } = kindIn('ApprovalRequest', scope);
  const flags = ['--subresource=status', '--type=merge', '-p', JSON.stringify(bare)];
  return kubectl(hub, 'alice', ['patch', plural, name, ...within(scope), ...flags]);
}

function refusedText(how: string, scope: Scope, name: string): string {
  const { kind } = kindIn('ApprovalRequest', scope);
  const where = scope === undefined ? name : `${scope}/${name}`;
  return `admission webhook "approval-grants.validate.stageguard.io" denied the request: ${how} by 1 rule: ${kind} ${where}`;
}

/** A run that has made its request and has not noted that yet. */
export const earlyRun = 'early';
const early = { name: earlyRun, gates: [{ stage: 'canary', isReached: false }] };

export const storeEarlyRun = (hub: Hub, scope: Scope): Promise<void> => storeRun(hub, { scope, ...early });

/** Whoever approves before the run has got there is asked to wait; kubectl does that by itself, and then it works. */
export async function approveEarly({ hub, guard }: GuardedHub, scope: Scope): Promise<void> {
  const name = `${earlyRun}-after-canary`;
  await storeRequest(hub, { scope, name, target: { run: earlyRun, stage: 'canary' } });
  const path = pathOf('ApprovalRequest', scope, `${name}/status`);
  const once = await hub.api('alice').patch(path, 'merge', bare);
  expect(once).toMatchObject({ status: 429, retryAfter: '1', warnings: [stamped] });
  expect(String(once.body['message']).split('\n')).toEqual([
    refusedText('refused for now', scope, name),
    `[approval-target-alive] status.conditions: run "${earlyRun}" is rolling out and has not asked for this approval yet`,
    '  Fix: Send the same again in a few seconds.',
  ]);
  const approving = approve(hub, scope, name);
  const object = scope === undefined ? name : `${scope}/${name}`;
  await eventually('kubectl has been told to wait', () => {
    const told = guard.decisions().filter((it) => it.object === object && it.decision === 'retry');
    return told.length > 1 || undefined;
  });
  await storeProgress(hub, { scope, name: earlyRun, gates: [{ stage: 'canary' }] });
  expect(await approving).toMatchObject({ code: 0 });
}
