import rule from '../../../src/rules/run/run-plan-unchanged.js';
import {
  binding,
  cluster,
  condition,
  creation,
  placement,
  policySnapshot,
  resourceSnapshot,
  run,
  snapshotMaster,
  snapshotPart,
  stage,
  start,
  strategy,
  update,
  type Draft,
} from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import { rolloutLines } from './run-lines.js';
import type { Scope } from '../../support/scopes.js';
import { bound } from './rolled-out.js';

type Json = Readonly<Record<string, unknown>>;

const entry = (stageName: string, ...clusters: readonly string[]): Json => ({
  stageName,
  clusters: clusters.map((clusterName) => ({ clusterName })),
});
const stages = [stage('canary'), stage('prod', { sortingLabelKey: 'order' })];
const status: Json = {
  policySnapshotIndexUsed: '0',
  policyObservedClusterCount: 3,
  resourceSnapshotIndexUsed: '4',
  appliedStrategy: {
    type: 'ClientSideApply',
    comparisonOption: 'PartialComparison',
    whenToApply: 'Always',
    whenToTakeOver: 'Always',
  },
  stagedUpdateStrategySnapshot: { stages },
  stagesStatus: [entry('canary', 'eu'), entry('prod', 'us', 'asia')],
  deletionStageStatus: entry('kubernetes-fleet.io/deleteStage', 'old'),
  conditions: [condition('Initialized', 'True')],
};
const initialized = (more: Json = {}, spec: Json = {}) => run('release', { status: { ...status, ...more }, spec });

const allUpdated = [entry('canary', 'eu'), entry('prod', 'us', 'asia')].map((each) => ({
  ...each,
  clusters: (each['clusters'] as readonly Json[]).map((one) => ({
    ...one,
    conditions: [condition('Succeeded', 'True')],
  })),
}));
/** The run is updating its first cluster. */
const underWay = (started = 'True') => {
  const eu = { clusterName: 'eu', conditions: [condition('Started', started)] };
  const stagesStatus = [{ stageName: 'canary', clusters: [eu] }, entry('prod', 'us', 'asia')];
  return start(run('release', { status: { ...status, stagesStatus } }));
};
/** The run takes its resources from the cluster that its placement has lost. */
const removing = (started: string, succeeded = 'False') => {
  const conditions = [condition('Started', started), condition('Succeeded', succeeded)];
  const deletionStageStatus = {
    stageName: 'kubernetes-fleet.io/deleteStage',
    clusters: [{ clusterName: 'old', conditions }],
  };
  return start(initialized({ deletionStageStatus }));
};
const leaving = (isDeleted: boolean) => {
  const { family, json } = binding('old', { state: 'Unscheduled' });
  const deleted = { ...(json['metadata'] as Json), deletionTimestamp: '2026-11-16T08:00:00Z' };
  return { family, json: { ...json, ...(isDeleted && { metadata: deleted }) } };
};
const onlyDeleting = run('release', {
  status: { ...status, policyObservedClusterCount: 0, stagesStatus: [entry('canary'), entry('prod')] },
});
const onlyBoundTo = (...names: readonly string[]): readonly Draft[] =>
  fleet().filter(({ family, json }) => {
    const spec = json['spec'] as { targetCluster?: string } | undefined;
    return family !== 'Binding' || names.includes(spec?.targetCluster ?? '');
  });

/** The fleet as it was when the run was initialized, with other parts in the place of those of the same name. */
function fleet(...others: readonly Draft[]): readonly Draft[] {
  const then: readonly Draft[] = [
    placement(),
    policySnapshot(),
    resourceSnapshot(4),
    cluster('eu', { ring: 'canary' }),
    cluster('us', { ring: 'prod', order: '1' }),
    cluster('asia', { ring: 'prod', order: '2' }),
    ...['eu', 'us', 'asia'].map((name) => binding(name)),
    binding('old', { state: 'Unscheduled' }),
  ];
  const key = ({ family, json }: Draft): string => `${family}/${(json['metadata'] as { name: string }).name}`;
  const replaced = new Set(others.map(key));
  return [...then.filter((draft) => !replaced.has(key(draft))), ...others];
}

const asksFor = (clusters: number) =>
  policySnapshot('shop', {
    spec: { policy: { placementType: 'PickN', numberOfClusters: clusters } },
    metadata: { annotations: { 'kubernetes-fleet.io/number-of-clusters': String(clusters) } },
  });

interface NewRun {
  readonly name?: string;
  readonly index?: readonly string[];
  readonly isInLabels?: boolean;
}

/** The new run rolls out what the old one did. */
const pinned = ['resourceSnapshotIndex: "4"'];

const newRun = (scope: Scope, { name = 'release-2', index = pinned, isInLabels = false }: NewRun = {}): string =>
  [
    isInLabels
      ? 'Put the labels of these clusters right and send the same again; if that is still refused, create a new run, which starts from the fleet as it is now, and delete this one.'
      : 'Create a new run, which starts from the fleet as it is now, and delete this one.',
    ...rolloutLines(scope, name, ...index, 'state: Run'),
    `# kubectl delete ${scope.plural('UpdateRun')} release${scope.flag}`,
  ].join('\n');

function changed(...what: readonly string[]) {
  const findings = (scope: Scope): readonly Expected[] =>
    what.map((each) => ({
      path: 'spec.state',
      message: `since this run was initialized, ${each}`,
      fix: newRun(scope, {
        isInLabels: /left without|come to select|any more/.test(each),
        index: what.some((one) => /^resource snapshot|resourceSnapshotIndexUsed/.test(one)) ? [] : pinned,
      }),
    }));
  const softlyOn =
    (version: string) =>
    (scope: Scope): readonly Expected[] =>
      findings(scope).map((finding) => ({
        ...finding,
        severity: 'warn',
        message: `${finding.message} (KubeFleet ${version} is newer than this guard knows: it may go on all the same)`,
      }));
  return Object.assign(findings, { softlyOn });
}

/** A new run would get stuck at the snapshot as well. */
function brokenSnapshot(scope: Scope, name: string, ...marks: readonly string[]): string {
  const keys = marks.map((mark) => `kubernetes-fleet.io/${mark}`).join(' ');
  const { plural, flag } = scope;
  const first = [
    'Mark the broken snapshot as outdated (this may take a fleet admin), then create a new run, which starts from the fleet as it is now, and delete this one.',
    `kubectl annotate ${plural('ResourceSnapshot')} ${name}${flag} ${keys} --overwrite`,
    `kubectl label ${plural('ResourceSnapshot')} ${name}${flag} kubernetes-fleet.io/is-latest-snapshot=false --overwrite`,
  ];
  return [...first, ...newRun(scope, { index: [] }).split('\n').slice(1)].join('\n');
}

testRule(rule, {
  accepts: {
    'a start into the fleet of the initialization': { change: start(initialized()), fleet: fleet() },
    'a snapshot in two parts that are there': {
      change: start(initialized()),
      fleet: fleet(
        snapshotMaster(4, { 'resource-hash': 'abc', 'number-of-resource-snapshots': '2' }),
        snapshotPart(4, 0),
      ),
    },
    'a snapshot that has lost its hash, which only a new run asks for': {
      change: start(initialized()),
      fleet: fleet(snapshotMaster(4, { 'number-of-resource-snapshots': '1' })),
    },
    'a run that has only to end, whose snapshot has been pruned': {
      change: update(initialized({ stagesStatus: allUpdated }, { state: 'Stop' }), {
        ...initialized({ stagesStatus: allUpdated }, { state: 'Run' }),
      }),
      fleet: fleet().filter(({ family }) => family !== 'ResourceSnapshot'),
    },
    'a run that only takes resources away': {
      change: start(onlyDeleting),
      fleet: onlyBoundTo('old'),
    },
    'a stopped run that goes on': {
      change: update(initialized({}, { state: 'Stop' }), initialized({}, { state: 'Run' })),
      fleet: fleet(),
    },
    'an edited strategy, which does not reach an initialized run': {
      change: start(initialized()),
      fleet: fleet(strategy('rings', { name: 'all', labelSelector: {} })),
    },
    'a new cluster that the placement has not picked': { change: start(initialized()), fleet: fleet(cluster('new')) },
    'new numbers in the same order': {
      change: start(initialized()),
      fleet: fleet(cluster('us', { ring: 'prod', order: '007' }), cluster('asia', { ring: 'prod', order: '10' })),
    },
    'an apply strategy with its defaults written out, or not': {
      change: start(initialized()),
      fleet: fleet(
        placement('shop', {
          spec: { strategy: { type: 'External', applyStrategy: { type: 'ClientSideApply', allowCoOwnership: false } } },
        }),
      ),
    },
    'server-side apply with its default': {
      change: start(
        initialized({ appliedStrategy: { type: 'ServerSideApply', serverSideApplyConfig: { force: false } } }),
      ),
      fleet: fleet(
        placement('shop', { spec: { strategy: { type: 'External', applyStrategy: { type: 'ServerSideApply' } } } }),
      ),
    },
    'a removal that was foreseen and is done': {
      change: start(initialized()),
      fleet: fleet().filter(({ json }) => (json['metadata'] as { name: string }).name !== 'shop-old'),
    },
    'as many clusters as ever': { change: start(initialized()), fleet: fleet(asksFor(3)) },
    'an old binding, for which KubeFleet waits before it compares clusters': {
      change: start(initialized()),
      fleet: fleet(binding('us', { policySnapshot: 'shop-7' })),
    },
    'a run that is not initialized yet': {
      change: start(run('release', { status: { conditions: [] } })),
      fleet: fleet(cluster('eu')),
    },
    'a run that has failed, which another rule tells': {
      change: start(initialized({ conditions: [condition('Initialized', 'True'), condition('Succeeded', 'False')] })),
      fleet: fleet(cluster('eu')),
    },
    'a placement that is not scheduled, which another rule tells': {
      change: start(initialized()),
      fleet: fleet(policySnapshot('shop', { status: { conditions: [] } })),
    },
    'a stop, which nothing may hinder': {
      change: update(initialized({}, { state: 'Run' }), initialized({}, { state: 'Stop' })),
      fleet: fleet(cluster('eu')),
    },
    'a cluster that the run is updating, with the binding as the run has left it': {
      change: underWay(),
      fleet: fleet(bound('eu', 4)),
    },
    'a cluster that the run has yet to update, with another snapshot': {
      change: underWay('False'),
      fleet: fleet(bound('eu', 7)),
    },
    'a cluster that is bound twice, once as the run has left it': {
      change: underWay(),
      fleet: fleet(bound('eu', 4), bound('eu', 7, { name: 'shop-eu-again' })),
    },
    'a removal that is on its way': { change: removing('True'), fleet: fleet(leaving(true)) },
    'a removal that has not begun': { change: removing('False'), fleet: fleet(leaving(false)) },
    'a creation': { change: creation(run('release')), fleet: fleet(cluster('eu')) },
  },
  rejects: {
    'a cluster that the run was updating when another run took it over': {
      change: underWay(),
      fleet: fleet(bound('eu', 7)),
      findings: changed('it has lost binding "shop-eu" of cluster "eu", which has resource snapshot "7" by now'),
    },
    'a cluster that the run was updating, with other overrides by now': {
      change: underWay(),
      fleet: fleet(bound('eu', 4, { overrides: ['replicas-1'] })),
      findings: changed(
        'it has lost binding "shop-eu" of cluster "eu", which has resource snapshot "4" with other overrides by now',
      ),
    },
    'a cluster that was bound and given up again while the run took its resources from it': {
      change: removing('True'),
      fleet: fleet(leaving(false)),
      findings: changed('"old", which it takes its resources from, has come back'),
    },
    'a cluster that was bound and given up again after the run had taken its resources from it': {
      change: removing('True', 'True'),
      fleet: fleet(leaving(true)),
      findings: changed('"old", which it takes its resources from, has come back'),
    },
    'a cluster that is bound again while the run takes its resources from it': {
      change: removing('True', 'True'),
      fleet: fleet(binding('old'), cluster('old', { ring: 'canary' })),
      findings: changed('stage "canary" has gained "old"'),
    },
    'a status without the index, for which KubeFleet takes 0': {
      change: start(initialized({ resourceSnapshotIndexUsed: undefined })),
      fleet: fleet(),
      findings: changed('status.resourceSnapshotIndexUsed has been lost'),
    },
    'the same on a newer KubeFleet': {
      change: underWay(),
      fleet: fleet(bound('eu', 7)),
      policy: { kubefleet: { version: 'v0.9.0' } },
      findings: changed('it has lost binding "shop-eu" of cluster "eu", which has resource snapshot "7" by now'),
    },
    'a cluster that the run was updating and that was bound anew': {
      change: underWay(),
      fleet: fleet(binding('eu')),
      findings: changed('it has lost binding "shop-eu" of cluster "eu", which has no resource snapshot by now'),
    },
    'a cluster that has left its stage': {
      change: start(initialized()),
      fleet: fleet(cluster('eu')),
      findings: changed('"eu" has been left without a stage'),
    },
    'the same on a KubeFleet that nobody can name': {
      change: start(initialized()),
      fleet: fleet(cluster('eu')),
      policy: { kubefleet: { version: 'auto' } },
      findings: changed('"eu" has been left without a stage'),
    },
    'the same on a newer KubeFleet, softly': {
      change: start(initialized()),
      fleet: fleet(cluster('eu')),
      policy: { kubefleet: { version: 'v0.9.0' } },
      findings: changed('"eu" has been left without a stage').softlyOn('v0.9.0'),
    },
    'a cluster that has joined on a newer KubeFleet, softly even where the operator refuses': {
      change: start(initialized()),
      fleet: fleet(cluster('africa', { ring: 'canary' }), binding('africa')),
      policy: { kubefleet: { version: '1.0' }, rules: { 'run-plan-unchanged': 'deny' } },
      findings: changed('stage "canary" has gained "africa"').softlyOn('1.0'),
    },
    'another way to apply on a newer KubeFleet': {
      change: start(initialized()),
      fleet: fleet(
        placement('shop', { spec: { strategy: { type: 'External', applyStrategy: { type: 'ServerSideApply' } } } }),
      ),
      policy: { kubefleet: { version: 'v0.9.0' } },
      findings: changed('the applyStrategy of the placement has changed'),
    },
    'another way to apply': {
      change: start(initialized()),
      fleet: fleet(
        placement('shop', { spec: { strategy: { type: 'External', applyStrategy: { type: 'ServerSideApply' } } } }),
      ),
      findings: changed('the applyStrategy of the placement has changed'),
    },
    'another policy': {
      change: start(initialized()),
      fleet: fleet(
        policySnapshot('shop', { index: 1 }),
        policySnapshot('shop', { metadata: { labels: { 'kubernetes-fleet.io/parent-CRP': 'shop' } } }),
        ...['eu', 'us', 'asia'].map((name) => binding(name, { policySnapshot: 'shop-1' })),
      ),
      findings: changed('the policy of the placement has changed (policy snapshot "0" then, "1" now)'),
    },
    'another number of clusters': {
      change: start(initialized()),
      fleet: fleet(asksFor(5)),
      findings: changed('the number of clusters that the placement asks for has changed from 3 to 5'),
    },
    'a number where there was none, since 0 is not written down': {
      change: start(initialized({ policyObservedClusterCount: undefined })),
      fleet: fleet(asksFor(3)),
      findings: changed('the number of clusters that the placement asks for has changed from 0 to 3'),
    },
    'a cluster that joined a stage': {
      change: start(initialized()),
      fleet: fleet(cluster('new', { ring: 'canary' }), binding('new')),
      findings: changed('stage "canary" has gained "new"'),
    },
    'a cluster that left the fleet with its binding': {
      change: start(initialized()),
      fleet: fleet().filter(({ json }) => (json['metadata'] as { name: string }).name !== 'shop-us'),
      findings: changed('stage "prod" has lost "us"'),
    },
    'another cluster in a stage of the same size': {
      change: start(initialized()),
      fleet: [
        ...fleet(cluster('new', { ring: 'canary' }), binding('new')).filter(
          ({ json }) => (json['metadata'] as { name: string }).name !== 'shop-eu',
        ),
      ],
      findings: changed('stage "canary" has gained "new" and lost "eu"'),
    },
    'a cluster that moved to another stage': {
      change: start(initialized()),
      fleet: fleet(cluster('us', { ring: 'canary' })),
      findings: changed('stage "canary" has gained "us"', 'stage "prod" has lost "us"'),
    },
    'another order in a stage': {
      change: start(initialized()),
      fleet: fleet(cluster('us', { ring: 'prod', order: '3' })),
      findings: changed('the order of clusters in stage "prod" has changed'),
    },
    'a cluster to be removed that was not when the run was initialized, told once': {
      change: start(initialized()),
      fleet: fleet(binding('us', { state: 'Unscheduled' })),
      findings: changed('the placement has dropped "us"'),
    },
    'a cluster that has fallen out of its stage, told once': {
      change: start(initialized()),
      fleet: fleet(cluster('eu', { ring: 'dev' })),
      findings: changed('"eu" has been left without a stage'),
    },
    'a new cluster that no stage selects': {
      change: start(initialized()),
      fleet: fleet(cluster('new'), cluster('other'), binding('new'), binding('other')),
      findings: changed('"new" and "other" have been left without a stage'),
    },
    'a cluster that two stages have come to select, told once': {
      change: start(
        initialized({
          stagedUpdateStrategySnapshot: {
            stages: [{ name: 'canary', labelSelector: { matchLabels: { canary: 'true' } } }, stages[1]],
          },
        }),
      ),
      fleet: fleet(cluster('eu', { canary: 'true', ring: 'prod', order: '1' })),
      findings: changed('stages "canary" and "prod" have come to select the same cluster "eu"'),
    },
    'a number that is gone, told once': {
      change: start(initialized()),
      fleet: fleet(cluster('asia', { ring: 'prod' })),
      findings: changed('cluster "asia" of stage "prod" has no whole number under its label "order" any more'),
    },
    'a status that has lost its parts': {
      change: start(
        initialized({
          stagedUpdateStrategySnapshot: undefined,
          stagesStatus: undefined,
          deletionStageStatus: undefined,
        }),
      ),
      fleet: fleet().filter(({ json }) => (json['metadata'] as { name: string }).name !== 'shop-old'),
      findings: changed(
        'status.deletionStageStatus has been lost',
        'status.stagedUpdateStrategySnapshot has been lost',
        'status.stagesStatus has been lost',
      ),
    },
    'stages of other names in the status': {
      change: start(initialized({ stagesStatus: [entry('canary', 'eu')] })),
      fleet: fleet(),
      findings: changed('the stages have changed'),
    },
    'no clusters, where the last bindings have gone': {
      change: start(onlyDeleting),
      fleet: onlyBoundTo(),
      findings: (scope) => [
        {
          path: 'spec.state',
          message: 'since this run was initialized, the placement has lost all its clusters',
          fix: newRun(scope).replace(
            'Create a',
            'See to it that the placement picks clusters again, by its policy or their labels; then create a',
          ),
        },
      ],
    },
    'a snapshot that has been pruned before the last cluster was updated': {
      change: start(initialized({ stagesStatus: [allUpdated[0], entry('prod', 'us', 'asia')] })),
      fleet: fleet().filter(({ family }) => family !== 'ResourceSnapshot'),
      findings: changed('resource snapshot "4", which it would roll out, has been removed'),
    },
    'a snapshot that has been pruned: the new run takes the latest': {
      change: start(initialized({}, { resourceSnapshotIndex: '4' })),
      fleet: fleet(resourceSnapshot(5)).filter(
        ({ json }) => (json['metadata'] as { name: string }).name !== 'shop-4-snapshot',
      ),
      findings: changed('resource snapshot "4", which it would roll out, has been removed'),
    },
    'a snapshot that has lost its master, of which another part is left': {
      change: start(initialized()),
      fleet: fleet(snapshotPart(4, 0)).filter(
        ({ json }) => (json['metadata'] as { name: string }).name !== 'shop-4-snapshot',
      ),
      findings: (scope) => [
        {
          path: 'spec.state',
          message:
            'since this run was initialized, resource snapshot "4", which it would roll out, has lost its first part, "shop-4-snapshot"',
          fix: brokenSnapshot(scope, 'shop-4-0', 'resource-hash=unknown', 'number-of-resource-snapshots=1'),
        },
      ],
    },
    'a snapshot that has lost a part': {
      change: start(initialized()),
      fleet: fleet(snapshotMaster(4, { 'resource-hash': 'abc', 'number-of-resource-snapshots': '2' })),
      findings: (scope) => [
        {
          path: 'spec.state',
          message:
            'since this run was initialized, resource snapshot "4", which it would roll out, is not whole, 1 of its 2 parts is there',
          fix: brokenSnapshot(scope, 'shop-4-snapshot', 'resource-hash=unknown'),
        },
      ],
    },
    'a change of a run that names its snapshot, which the new run keeps, under the next free name': {
      change: start(initialized({}, { resourceSnapshotIndex: '4' })),
      fleet: fleet(cluster('eu'), run('release-2'), run('release-3')),
      findings: (scope) => [
        {
          path: 'spec.state',
          message: 'since this run was initialized, "eu" has been left without a stage',
          fix: newRun(scope, { name: 'release-4', isInLabels: true }),
        },
      ],
    },
    'on a dry run only softly': {
      change: start(initialized(), { dryRun: true }),
      fleet: fleet(cluster('eu')),
      findings: (scope) => [
        {
          path: 'spec.state',
          severity: 'warn',
          message: 'since this run was initialized, "eu" has been left without a stage',
          fix: newRun(scope, { isInLabels: true }),
        },
      ],
    },
    'a fleet that cannot be known': {
      change: start(initialized()),
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `${kind('Placement')} "shop"`),
    },
  },
});
