import { kindIn } from '../../../src/fleet/kinds.js';
import { eventually } from '../harness/eventually.js';
import { expectStored, type Hub } from '../harness/hub.js';
import { pathOf } from '../harness/paths.js';
import { conditionOf, objectOf, placement, run, scheduled, stage, strategy } from '../harness/world.js';
import { apply, commands, put, send, then, type FixCase, type Sent, type Site } from './case.js';
import { gateExists, hasStopped, mustWork, setApproved, within } from './ground.js';

const stages = [
  stage('canary', { afterStageTasks: [{ type: 'Approval' }] }),
  stage('production', { beforeStageTasks: [{ type: 'Approval' }] }),
];

/** A run that waits at its first gate. */
export async function waitingRun(site: Site, name = site.name): Promise<void> {
  const { hub, scope } = site;
  await put(site, placement(scope, name), strategy(scope, name, stages));
  await scheduled(hub, scope, name);
  const ran = await send(site, apply(run(scope, name, { placementName: name, stagedRolloutStrategyName: name })));
  if (ran.code !== 0) throw new Error(ran.stderr);
  await gateExists(site, `${name}-after-canary`);
}

/** A status that somebody writes out in full. */
function setCondition({ scope }: Site, name: string, more: { type: string; status?: string }): Sent {
  const condition = { status: 'True', reason: 'a', message: 'a', lastTransitionTime: '2026-01-02T03:04:05Z', ...more };
  const patch = JSON.stringify({ status: { conditions: [condition] } });
  const kind = kindIn('ApprovalRequest', scope).plural;
  return { args: ['patch', kind, name, ...within(scope), '--subresource=status', '--type=merge', '-p', patch] };
}

/** A request that the hub agent has made. */
export async function makeRequest(hub: Hub, scope: Site['scope'], name: string, spec: object): Promise<void> {
  expectStored(
    await hub.api('hubAgent').create(pathOf('ApprovalRequest', scope), objectOf('ApprovalRequest', scope, name, spec)),
  );
}

const accepted = ({ hub, scope }: Site, name: string): Promise<void> =>
  conditionOf(hub, 'ApprovalRequest', scope, [name, 'ApprovalAccepted']);

const nothingMore = (): Promise<Sent> => Promise.resolve({ args: ['version'] });

/** The run whose gate has a request that it has not asked for, made before the guard was there. */
const early = 'early';

/** Makes the requests that a case needs to be older than a minute. */
export async function makeEarlyRequests(hub: Hub): Promise<void> {
  for (const scope of [undefined, 'team-a']) {
    await makeRequest(hub, scope, `${early}-before-production`, {
      parentStageRollout: early,
      targetStage: 'production',
    });
  }
}

async function isAMinuteOld({ hub, scope }: Site): Promise<void> {
  const { body } = await hub.api('admin').get(pathOf('ApprovalRequest', scope, `${early}-before-production`));
  const { creationTimestamp } = body['metadata'] as { creationTimestamp: string };
  await eventually('the request is a minute old', () =>
    Promise.resolve(Date.now() - Date.parse(creationTimestamp) > 61_000 || undefined),
  );
}

export const approvalCases: readonly FixCase[] = [
  ...['ApprovalAccepted', 'approved'].map((type): FixCase => ({
    rule: 'approval-conditions',
    when: 'the writer means yes',
    way: `writes ${type}`,
    prepare: waitingRun,
    write: (site) => setCondition(site, `${site.name}-after-canary`, { type }),
    async follow(refusal, site, sent) {
      await commands()(refusal, site, sent);
      await accepted(site, `${site.name}-after-canary`);
      return nothingMore();
    },
  })),
  {
    rule: 'approval-conditions',
    when: 'the writer means no',
    prepare: waitingRun,
    write: (site) => setCondition(site, `${site.name}-after-canary`, { type: 'Rejected' }),
    async follow(refusal, site, sent) {
      await commands()(refusal, site, sent);
      await hasStopped(site, site.name);
      return nothingMore();
    },
  },
  {
    rule: 'approval-created-by-controller',
    when: 'somebody makes one',
    prepare: waitingRun,
    write: ({ scope, name }) => {
      const spec = { parentStageRollout: name, targetStage: 'production' };
      return apply(objectOf('ApprovalRequest', scope, `${name}-before-production`, spec));
    },
    async follow(refusal, site, sent) {
      await mustWork(site, setApproved(site, `${site.name}-after-canary`));
      await gateExists(site, `${site.name}-before-production`);
      await commands()(refusal, site, sent);
      await accepted(site, `${site.name}-before-production`);
      return nothingMore();
    },
  },
  {
    rule: 'approval-target-alive',
    when: 'no run waits for it',
    async prepare(site) {
      await waitingRun(site);
      const spec = { parentStageRollout: 'gone', targetStage: 'canary' };
      await makeRequest(site.hub, site.scope, `${site.name}-gone-after-canary`, spec);
    },
    write: (site) => setApproved(site, `${site.name}-gone-after-canary`),
    async follow(refusal, site, sent) {
      await commands()(refusal, site, sent);
      return setApproved(site, `${site.name}-after-canary`);
    },
  },
  {
    rule: 'approval-target-alive',
    when: 'the run has not got there',
    async prepare(site) {
      await waitingRun(site, early);
      await isAMinuteOld(site);
    },
    write: (site) => setApproved(site, `${early}-before-production`),
    follow: then(commands(), async (site) => {
      await mustWork(site, setApproved(site, `${early}-after-canary`));
      await gateExists(site, `${early}-before-production`);
      await reached(site);
    }),
  },
];

/** The run notes that it has asked a moment after it has made the request. */
async function reached(site: Site): Promise<void> {
  await eventually('the run has asked', async () => {
    const { body } = await site.hub.api('admin').get(pathOf('UpdateRun', site.scope, early));
    const { stagesStatus = [] } = body['status'] as { stagesStatus?: { beforeStageTaskStatus?: object[] }[] };
    return JSON.stringify(stagesStatus[1]?.beforeStageTaskStatus ?? []).includes('ApprovalRequestCreated') || undefined;
  });
}
