import { kindIn } from '../../../src/fleet/kinds.js';
import type { Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { expectStored, type Hub } from '../harness/hub.js';
import { headOf, pathOf } from '../harness/paths.js';
import { resourceSnapshot } from '../harness/run-controller.js';
import { conditionOf, run } from '../harness/world.js';
import { makeRequest, waitingRun } from './approval-cases.js';
import { after, apply, commands, pasted, put, then, type FixCase, type Site } from './case.js';
import {
  gated,
  ground,
  labelMembers,
  letFinish,
  mustWork,
  prepared,
  runOf,
  setApproved,
  setState,
  within,
} from './ground.js';
import { yamlIn } from './refusal.js';

const gateOf = ({ name }: Site): string => `${name}-after-canary`;
const write: FixCase['write'] = (site) => apply(runOf(site));

const pruningCase: FixCase = {
  rule: 'run-prunes-snapshot',
  when: 'a run holds it',
  async prepare(site) {
    await ground(site, gated, { revisionHistoryLimit: 1 });
    await put(site, resourceSnapshot(site.name, 0, site.scope) as Json);
    await mustWork(site, apply(runOf(site, { state: 'Initialize', resourceSnapshotIndex: '0' }, `${site.name}-held`)));
    await conditionOf(site.hub, 'UpdateRun', site.scope, [`${site.name}-held`, 'Initialized']);
  },
  write: (site) => apply(runOf(site, { state: 'Initialize' })),
};

const approvalCases: readonly FixCase[] = [
  {
    rule: 'approval-deleted',
    when: 'a run waits for it',
    prepare: waitingRun,
    write: (site) => ({
      args: ['delete', kindIn('ApprovalRequest', site.scope).plural, gateOf(site), ...within(site.scope)],
    }),
    follow: then(pasted(), (site) =>
      conditionOf(site.hub, 'ApprovalRequest', site.scope, [gateOf(site), 'ApprovalAccepted']),
    ),
  },
  {
    rule: 'approval-has-effect',
    when: 'the answer is no',
    prepare: waitingRun,
    write: (site) => setApproved(site, gateOf(site), 'False'),
  },
  {
    rule: 'approval-has-effect',
    when: 'the run is stopped',
    async prepare(site) {
      await waitingRun(site);
      await mustWork(site, setState(site, 'Stop'));
    },
    write: (site) => setApproved(site, gateOf(site)),
  },
  {
    rule: 'approval-has-effect',
    when: 'no run looks for it',
    async prepare(site) {
      await waitingRun(site);
      const spec = { parentStageRollout: site.name, targetStage: 'canary' };
      await makeRequest(site.hub, site.scope, `${site.name}-canary`, spec);
    },
    write: (site) => setApproved(site, `${site.name}-canary`),
    async follow(refusal, site, sent) {
      await commands()(refusal, site, sent);
      return setApproved(site, gateOf(site));
    },
  },
];

/** A run whose stages hang on a label that no other run knows. */
async function onItsOwnLabel(site: Site): Promise<void> {
  const key = `tier-${site.name}`;
  await labelMembers(site, `eu-1 ${key}=canary`, `eu-2 ${key}=production`, `us-1 ${key}=production`);
  const stages = gated.map((stage) => {
    const { name } = stage as { name: string };
    return { ...stage, labelSelector: { matchLabels: { [key]: name } } };
  });
  await ground(site, stages);
}
const active = async (site: Site): Promise<void> => {
  await onItsOwnLabel(site);
  await mustWork(site, apply(runOf(site)));
  await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
};
const waiting = async (site: Site): Promise<void> => {
  await onItsOwnLabel(site);
  await prepared(site);
};

const relabel: FixCase['write'] = ({ name }) => ({
  user: 'admin',
  args: ['label', 'memberclusters', 'us-1', `tier-${name}=elsewhere`, '--overwrite'],
});
const evict: FixCase['write'] = ({ name }) => ({
  user: 'admin',
  ...apply({
    ...headOf('Eviction', undefined),
    metadata: { name },
    spec: { placementName: name, clusterName: 'us-1' },
  }),
});

const lossCases: readonly FixCase[] = [
  {
    rule: 'member-cluster-in-use',
    when: 'the run is active',
    prepare: active,
    write: relabel,
    follow: after(letFinish),
  },
  { rule: 'member-cluster-in-use', when: 'the run is not started', prepare: waiting, write: relabel },
  ...[
    { when: 'the run is active', prepare: active, follow: after(letFinish) },
    { when: 'the run is not started', prepare: waiting, follow: pasted() },
  ].map((one): FixCase => ({ rule: 'eviction-in-use', scopes: [undefined], write: evict, ...one })),
];

/** A namespace that the hub agent does not look at, with a run that nobody takes up. */
export const idleNamespace = 'team-idle';
/** A namespace that nothing places on the member clusters. */
export const apartNamespace = 'team-apart';
/** A namespace where every run is to start at once; elsewhere that would forbid others to prepare one. */
export const hastyNamespace = 'team-hasty';
const ignored = 'ignored';

/** Makes the run that a case needs to be older than two minutes. */
export async function makeIgnoredRun(hub: Hub): Promise<void> {
  for (const name of [idleNamespace, apartNamespace, hastyNamespace]) {
    expectStored(await hub.api('admin').create('/api/v1/namespaces', { metadata: { name } }));
  }
  const object = run(idleNamespace, ignored, { placementName: 'p', stagedRolloutStrategyName: 's' });
  expectStored(await hub.api('admin').create(pathOf('UpdateRun', idleNamespace), object));
}

async function isTwoMinutesOld({ hub }: Site): Promise<void> {
  const { body } = await hub.api('admin').get(pathOf('UpdateRun', idleNamespace, ignored));
  const { creationTimestamp } = body['metadata'] as { creationTimestamp: string };
  await eventually(
    'the run is two minutes old',
    () => Promise.resolve(Date.now() - Date.parse(creationTimestamp) > 121_000 || undefined),
    130,
  );
}

/** The hub agent is back, and does the first thing that it does. */
async function takeUp({ hub }: Site): Promise<void> {
  const metadata = { finalizers: ['kubernetes-fleet.io/stagedupdaterun-finalizer'] };
  expectStored(await hub.api('hubAgent').patch(pathOf('UpdateRun', idleNamespace, ignored), 'merge', { metadata }));
}

export const strictCases: readonly FixCase[] = [
  pruningCase,
  {
    rule: 'run-controller-alive',
    when: 'nobody takes up runs',
    // In cluster scope the hub agent is at work for all the others.
    scopes: [idleNamespace],
    prepare: isTwoMinutesOld,
    write,
    follow: then(pasted({ asks: 'admin' }), takeUp),
  },
  ...approvalCases,
  ...lossCases,
  {
    rule: 'run-latest-snapshot',
    when: 'there is a snapshot',
    async prepare(site) {
      await ground(site);
      await put(site, resourceSnapshot(site.name, 0, site.scope) as Json);
    },
    write,
    async follow(refusal, site, sent) {
      await prepared(site);
      await commands()(refusal, site, sent);
      return setState(site, 'Run');
    },
  },
  {
    rule: 'run-namespace-on-members',
    when: 'nothing places it',
    scopes: [apartNamespace],
    write,
    async follow(refusal, site) {
      await mustWork(site, apply(yamlIn(refusal) ?? {}));
      return undefined;
    },
  },
  {
    rule: 'run-not-started',
    when: 'it is created',
    scopes: [hastyNamespace],
    write: (site) => apply(runOf(site, { state: 'Initialize' })),
  },
];
