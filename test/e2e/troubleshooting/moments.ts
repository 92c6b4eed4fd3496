import { kindIn, type Family } from '../../../src/fleet/kinds.js';
import { eventually } from '../harness/eventually.js';
import { apply, type Sent, type Site } from '../fixes/case.js';
import { gated, ground, mustWork, running, runOf, within } from '../fixes/ground.js';
import { conditionNow } from '../harness/hub-objects.js';
import { pathOf } from '../harness/paths.js';
import { recorded } from '../harness/recorded-run.js';
import { conditionOf, stage } from '../harness/world.js';

export const afterCanary = ({ name }: Site): string => `${name}-after-canary`;
export const beforeCanary = ({ name }: Site): string => `${name}-before-canary`;

async function waitsAt(site: Site, gate: string): Promise<void> {
  await eventually(`the run waits at ${gate}`, async () => {
    const { status } = await site.hub.api('admin').get(pathOf('ApprovalRequest', site.scope, gate));
    return status === 200 ? true : undefined;
  });
}

export async function atGate(site: Site): Promise<void> {
  await running(site);
  await waitsAt(site, afterCanary(site));
}

export async function atFirstGate(site: Site): Promise<void> {
  await ground(site, [stage('canary', { beforeStageTasks: [{ type: 'Approval' }] }), stage('production')]);
  await mustWork(site, apply(runOf(site)));
  await waitsAt(site, beforeCanary(site));
}

/** A run in the middle of its first stage: one cluster is being updated. */
export async function updating(site: Site): Promise<void> {
  await ground(site, gated);
  // It is initialized and goes no further by itself.
  await mustWork(site, apply(runOf(site, { state: 'Initialize' })));
  await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
  site.agent.heldBack.add(site.name);
  await mustWork(site, patch('UpdateRun', site, { spec: { state: 'Run' } }));
  await eventually('the run is in the middle of a stage', async () => {
    const path = pathOf('UpdateRun', site.scope, site.name);
    const { body } = await site.hub.api('hubAgent').get(path);
    const status = body['status'] as { conditions: object[]; stagesStatus: { clusters: object[] }[] };
    const [first, ...others] = status.stagesStatus;
    const [started] = recorded.cluster.updated;
    const clusters = first?.clusters.map((cluster) => ({ ...cluster, conditions: [started] }));
    const stagesStatus = [{ ...first, clusters, conditions: recorded.stage.updating }, ...others];
    const next = { ...status, conditions: recorded.run.updating, stagesStatus };
    const answer = await site.hub.api('hubAgent').replace(`${path}/status`, { ...body, status: next });
    return answer.status === 200 ? true : undefined;
  });
}

/** Another run of the same placement, initialized and not started. */
export const second = ({ name }: Site): string => `${name}-second`;

export async function runningBesidePrepared(site: Site): Promise<void> {
  await running(site);
  await mustWork(site, apply(runOf(site, { state: 'Initialize' }, second(site))));
  await conditionOf(site.hub, 'UpdateRun', site.scope, [second(site), 'Initialized']);
}

export function patch(family: Family, { scope, name }: Site, change: object): Sent {
  const { plural } = kindIn(family, scope);
  return { args: ['patch', plural, name, ...within(scope), '--type=merge', '-p', JSON.stringify(change)] };
}

export const remove = (family: 'Placement' | 'UpdateStrategy', { scope, name }: Site): Sent => ({
  args: ['delete', kindIn(family, scope).plural, name, ...within(scope)],
});

/** As the documents print it, with the generation that nobody looked up. */
export function approveAtGeneration(generation: number, site: Site, gate = afterCanary(site)): Sent {
  const condition = {
    ...conditionNow('Approved', { reason: 'approved', message: 'approved' }),
    observedGeneration: generation,
  };
  const sent = patch('ApprovalRequest', { ...site, name: gate }, { status: { conditions: [condition] } });
  return { args: [...sent.args, '--subresource=status'] };
}
