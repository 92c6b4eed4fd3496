import { kindIn } from '../../../src/fleet/kinds.js';
import type { Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { conditionNow, withCondition, type Condition } from '../harness/hub-objects.js';
import { kubectl } from '../harness/kubectl.js';
import { pathOf, type Scope } from '../harness/paths.js';
import { conditionOf, placement, run, scheduled, stage, strategy } from '../harness/world.js';
import { apply, put, send, type Sent, type Site } from './case.js';

export const twoStages = [stage('canary'), stage('production')];
export const gated = [stage('canary', { afterStageTasks: [{ type: 'Approval' }] }), stage('production')];

/** A placement, a strategy, and a scheduler that is done with them. */
export async function ground(site: Site, stages: readonly object[] = twoStages, more: object = {}): Promise<void> {
  const { hub, scope, name } = site;
  await put(site, placement(scope, name, more), strategy(scope, name, stages));
  await scheduled(hub, scope, name);
}

export const specOf = ({ name }: Site): { placementName: string; stagedRolloutStrategyName: string } => ({
  placementName: name,
  stagedRolloutStrategyName: name,
});
export const runOf = (site: Site, more: Json = {}, name = site.name): Json =>
  run(site.scope, name, { ...specOf(site), ...more });

export const setState = ({ scope, name }: Site, state: string): Sent => ({
  args: [
    ...['patch', kindIn('UpdateRun', scope).plural, name, ...within(scope)],
    ...['--type=merge', '-p', JSON.stringify({ spec: { state } })],
  ],
});

export const within = (scope: Scope): readonly string[] => (scope === undefined ? [] : ['-n', scope]);

export async function labelMembers(site: Site, ...labels: readonly string[]): Promise<void> {
  for (const text of labels) {
    const [member = '', ...words] = text.split(' ');
    const ran = await kubectl(site.hub, 'admin', ['label', 'memberclusters', member, ...words, '--overwrite']);
    if (ran.code !== 0) throw new Error(ran.stderr);
  }
}

export const mustWork = async (site: Site, sent: Sent): Promise<void> => {
  const ran = await send(site, sent);
  if (ran.code !== 0) throw new Error(ran.stderr);
};

/** A run that has begun, and that a gate keeps from its end. */
export async function running(site: Site): Promise<void> {
  await ground(site, gated);
  await mustWork(site, apply(runOf(site)));
  await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
}

/** The run as the hub agent reports it when a cluster does not become available. */
export async function stuck(site: Site): Promise<void> {
  await running(site);
  await getStuck(site, site.name);
}

export function getStuck(site: Site, name: string): Promise<void> {
  return reported(site, name, conditionNow('Progressing', { status: 'False', reason: 'UpdateRunStuck' }));
}

/** The run as the hub agent reports it when it has given it up. */
export function fail(site: Site, name: string): Promise<void> {
  return reported(site, name, conditionNow('Succeeded', { status: 'False', reason: 'UpdateRunFailed' }));
}

async function reported(site: Site, name: string, condition: Condition): Promise<void> {
  site.agent.heldBack.add(name);
  await eventually(`the run has ${condition.type} ${condition.status}`, async () => {
    const path = pathOf('UpdateRun', site.scope, name);
    const { body } = await site.hub.api('hubAgent').get(path);
    const { conditions } = (body['status'] ?? {}) as { conditions?: Condition[] };
    const status = { ...(body['status'] as object), conditions: withCondition(conditions, condition) };
    const answer = await site.hub.api('hubAgent').replace(`${path}/status`, { ...body, status });
    return answer.status === 200 ? true : undefined;
  });
}

/** Opens a gate, as the guard lets people do it. */
export function setApproved({ scope }: Site, gate: string, status = 'True'): Sent {
  const patch = JSON.stringify({ status: { conditions: [{ type: 'Approved', status }] } });
  const kind = kindIn('ApprovalRequest', scope).plural;
  return { args: ['patch', kind, gate, ...within(scope), '--subresource=status', '--type=merge', '-p', patch] };
}

export function gateExists({ hub, scope }: Site, gate: string): Promise<true> {
  return eventually(`${gate} exists`, async () => {
    const { status } = await hub.api('admin').get(pathOf('ApprovalRequest', scope, gate));
    return status === 200 ? true : undefined;
  });
}

/** Lets a run go through its only gate, so that it comes to its end. */
export async function letFinish(site: Site, name = site.name): Promise<void> {
  await gateExists(site, `${name}-after-canary`);
  // The run notes the gate a moment after it has made the request.
  await eventually(`${name} goes on`, async () => {
    const ran = await send(site, setApproved(site, `${name}-after-canary`));
    return ran.code === 0 || undefined;
  });
}

export const hasStopped = ({ hub, scope }: Site, name: string): Promise<true> =>
  eventually(`${name} has stopped`, async () => {
    const { body } = await hub.api('admin').get(pathOf('UpdateRun', scope, name));
    return JSON.stringify(body).includes('UpdateRunStopped') || undefined;
  });

/** A run that is initialized and waits to be started. */
export async function prepared(site: Site, name = site.name): Promise<void> {
  await mustWork(site, apply(runOf(site, { state: 'Initialize' }, name)));
  await conditionOf(site.hub, 'UpdateRun', site.scope, [name, 'Initialized']);
}
