import { kindIn } from '../../../src/fleet/kinds.js';
import { eventually } from '../eventually.js';
import { expectStored } from '../hub.js';
import { pathOf } from '../paths.js';
import { conditionOf, objectOf, placement, run, scheduled, stage, strategy } from '../world.js';
import { apply, put, runCommand, send, type FixCase, type Sent, type Site } from './case.js';

const stages = [
  stage('canary', { afterStageTasks: [{ type: 'Approval' }] }),
  stage('production', { beforeStageTasks: [{ type: 'Approval' }] }),
];

/** A run that waits at its first gate. */
export async function waitingRun(site: Site): Promise<void> {
  const { hub, scope, name } = site;
  await put(site, placement(scope, name), strategy(scope, name, stages));
  await scheduled(hub, scope, name);
  const ran = await send(site, apply(run(scope, name, { placementName: name, stagedRolloutStrategyName: name })));
  if (ran.code !== 0) throw new Error(ran.stderr);
  await gateExists(site, `${name}-after-canary`);
}

function gateExists({ hub, scope }: Site, name: string): Promise<true> {
  return eventually(`${name} exists`, async () => {
    const { status } = await hub.api('admin').get(pathOf('ApprovalRequest', scope, name));
    return status === 200 ? true : undefined;
  });
}

function setCondition({ scope }: Site, name: string, type: string): Sent {
  const within = scope === undefined ? [] : ['-n', scope];
  const condition = { type, status: 'True', reason: 'a', message: 'a', lastTransitionTime: '2026-01-02T03:04:05Z' };
  const patch = JSON.stringify({ status: { conditions: [condition] } });
  const kind = kindIn('ApprovalRequest', scope).plural;
  return { args: ['patch', kind, name, ...within, '--subresource=status', '--type=merge', '-p', patch] };
}

const accepted = ({ hub, scope }: Site, name: string): Promise<void> =>
  conditionOf(hub, 'ApprovalRequest', scope, [name, 'ApprovalAccepted']);

export const approvalCases: readonly FixCase[] = [
  ...['ApprovalAccepted', 'approved'].map((type): FixCase => ({
    rule: 'approval-conditions',
    when: `someone sets ${type}`,
    prepare: waitingRun,
    write: (site) => setCondition(site, `${site.name}-after-canary`, type),
    async follow(refusal, site) {
      await runCommand(refusal, site);
      await accepted(site, `${site.name}-after-canary`);
      return { args: ['version'] };
    },
  })),
  {
    rule: 'approval-created-by-controller',
    prepare: waitingRun,
    write: ({ scope, name }) => {
      const spec = { parentStageRollout: name, targetStage: 'production' };
      return apply(objectOf('ApprovalRequest', scope, `${name}-before-production`, spec));
    },
    async follow(refusal, site) {
      const first = await send(site, setCondition(site, `${site.name}-after-canary`, 'Approved'));
      if (first.code !== 0) throw new Error(first.stderr);
      await gateExists(site, `${site.name}-before-production`);
      await runCommand(refusal, site);
      await accepted(site, `${site.name}-before-production`);
      return { args: ['version'] };
    },
  },
  {
    rule: 'approval-target-alive',
    when: 'the run is gone',
    async prepare(site) {
      await waitingRun(site);
      const spec = { parentStageRollout: 'gone', targetStage: 'canary' };
      const gate = objectOf('ApprovalRequest', site.scope, `${site.name}-gone-after-canary`, spec);
      expectStored(await site.hub.api('hubAgent').create(pathOf('ApprovalRequest', site.scope), gate));
    },
    write: (site) => setCondition(site, `${site.name}-gone-after-canary`, 'Approved'),
    async follow(refusal, site) {
      await runCommand(refusal, site);
      await runCommand(refusal, site, { at: 1 });
      return setCondition(site, `${site.name}-after-canary`, 'Approved');
    },
  },
];
