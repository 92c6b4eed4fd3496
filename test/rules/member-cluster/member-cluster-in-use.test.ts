import rule from '../../../src/rules/member-cluster/member-cluster-in-use.js';
import {
  cluster,
  condition,
  creation,
  deletion,
  policySnapshot,
  run,
  stage,
  update,
  type ChangeDraft,
  type Draft,
} from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { waitLine } from '../run/run-lines.js';

type Json = Readonly<Record<string, unknown>>;
type Labels = Readonly<Record<string, string>>;

/** The run has `a` in canary, `b` and `c` in prod by their order; `d` is in the fleet and not in the placement. */
const members = [
  cluster('a', { ring: 'canary' }),
  cluster('b', { ring: 'prod', order: '1' }),
  cluster('c', { ring: 'prod', order: '2' }),
  cluster('d', { ring: 'dev' }),
];
const stages = [stage('canary'), stage('prod', { sortingLabelKey: 'order' })];
const scheduled = (names: readonly string[], policy: Json = {}): Draft =>
  policySnapshot('shop', {
    spec: { policy },
    status: { targetClusters: names.map((clusterName) => ({ clusterName, selected: true })) },
  });
const requiring = (...clusterSelectorTerms: readonly Json[]): Json => ({
  affinity: { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms } } },
});
const large = { propertySelector: { matchExpressions: [{ name: 'nodes', operator: 'Gt', values: ['9'] }] } };
const notDev = { labelSelector: { matchExpressions: [{ key: 'ring', operator: 'NotIn', values: ['dev'] }] } };
const picked = scheduled(['a', 'b', 'c'], requiring(notDev));

function initialized(
  name: string,
  more: { spec?: Json; status?: Json; conditions?: readonly object[]; deletion?: readonly string[] } = {},
): Draft {
  return run(name, {
    spec: more.spec ?? {},
    status: {
      stagedUpdateStrategySnapshot: { stages },
      stagesStatus: [
        { stageName: 'canary', clusters: [{ clusterName: 'a' }] },
        { stageName: 'prod', clusters: [{ clusterName: 'b' }, { clusterName: 'c' }] },
      ],
      deletionStageStatus: {
        stageName: 'kubernetes-fleet.io/deleteStage',
        clusters: (more.deletion ?? []).map((clusterName) => ({ clusterName })),
      },
      conditions: [condition('Initialized', 'True'), ...(more.conditions ?? [])],
      ...more.status,
    },
  });
}

const active = initialized('release');
const prepared = initialized('prepared', { spec: { state: 'Initialize' } });
const world = [...members, picked, active];

function relabel(name: string, after: Labels, more: { before?: Labels; taints?: readonly Json[] } = {}): ChangeDraft {
  const before = members.find(({ json }) => (json['metadata'] as Json)['name'] === name) ?? cluster(name, more.before);
  return update(before, cluster(name, after));
}

function tainted(name: string, labels: Labels, ...keys: readonly string[]): Draft {
  const taints = keys.map((key) => ({ key, effect: 'NoSchedule' }));
  return { family: 'MemberCluster', json: { metadata: { name, labels }, spec: { taints } } };
}

const nameIn = ({ namespace }: Scope, name: string): string =>
  namespace === undefined ? name : `${namespace}/${name}`;
const aborted = (scope: Scope, why: string): string =>
  `active run "${nameIn(scope, 'release')}" would be aborted for good (let it finish first if you can): ${why}; the run is rolling out, 0 of 3 clusters updated`;
const letFinish = (scope: Scope, name = 'release'): string =>
  `Let the run finish first, if this can wait.\n${waitLine(scope, name)}`;
const createAnew = ({ plural, flag }: Scope, name: string): string =>
  `Create a new run after this change, and delete this one.\nkubectl delete ${plural('UpdateRun')} ${name}${flag}`;

const one = (why: string) => (scope: Scope) => [{ path: '', message: aborted(scope, why), fix: letFinish(scope) }];

const perhaps = (why: string) => (scope: Scope) => [
  { path: '', message: aborted(scope, why).replace('would be', 'may be'), fix: letFinish(scope) },
];

/** A namespaced placement takes a cluster only if the namespace is there, and nobody knows that. */
const joined = (why: string) => (scope: Scope) => (scope.namespace === undefined ? one(why) : perhaps(why))(scope);

/** A cluster that has left, and that the run still takes its resources from. */
const gone = cluster('e', { ring: 'prod', order: '3' });
const removing = initialized('release', { deletion: ['e'] });
const fixed = (...clusterNames: readonly string[]): Json => ({ placementType: 'PickFixed', clusterNames });
const comesBack = '"e", which the run takes its resources from, may be bound again';

testRule(rule, {
  accepts: {
    'a cluster that comes back, which the policy does not name': {
      change: creation(gone),
      fleet: [...members, scheduled(['a', 'b', 'c'], fixed('a', 'b', 'c')), removing],
    },
    'a cluster that comes back after the run has taken its resources from it': {
      change: creation(gone),
      fleet: [
        ...members,
        scheduled(['a', 'b', 'c'], { placementType: 'PickN', numberOfClusters: 4 }),
        initialized('release', {
          status: {
            deletionStageStatus: {
              stageName: 'kubernetes-fleet.io/deleteStage',
              clusters: [{ clusterName: 'e', conditions: [condition('Succeeded', 'True')] }],
            },
          },
        }),
      ],
    },
    'a label that no stage asks for, of a cluster that is picked twice': {
      change: relabel('a', { ring: 'canary', team: 'x' }),
      fleet: [...members, scheduled(['a', 'b', 'b', 'c'], fixed('a', 'b', 'b', 'c')), active],
    },
    'a label that no stage asks for': { change: relabel('a', { ring: 'canary', team: 'x' }), fleet: world },
    'an order that stays the same': { change: relabel('c', { ring: 'prod', order: '7' }), fleet: world },
    'a relabelled cluster that the placement has not picked, and still does not': {
      change: relabel('d', { ring: 'dev', order: '1' }),
      fleet: world,
    },
    'an annotation': {
      change: update(cluster('a', { ring: 'canary' }), {
        family: 'MemberCluster',
        json: { metadata: { name: 'a', labels: { ring: 'canary' }, annotations: { note: 'x' } } },
      }),
      fleet: world,
    },
    'a new taint, which clusters that are picked do not mind': {
      change: update(cluster('a', { ring: 'canary' }), tainted('a', { ring: 'canary' }, 'maintenance')),
      fleet: world,
    },
    'a taint that goes while another stays': {
      change: update(tainted('e', { ring: 'prod' }, 'x', 'y'), tainted('e', { ring: 'prod' }, 'y')),
      fleet: world,
    },
    'a cluster that joins and is not wanted': { change: creation(cluster('e', { ring: 'dev' })), fleet: world },
    'a tainted cluster that joins': {
      change: creation(tainted('e', { ring: 'prod', order: '3' }, 'new')),
      fleet: world,
    },
    'a cluster that joins where the policy counts': {
      change: creation(cluster('e', { ring: 'prod', order: '3' })),
      fleet: [...members, scheduled(['a', 'b', 'c'], { placementType: 'PickN', numberOfClusters: 3 }), active],
    },
    'a cluster that was wanted before and kept out by something else': {
      change: update(cluster('e', { ring: 'prod' }), cluster('e', { ring: 'prod', order: '3' })),
      fleet: world,
    },
    'a cluster that could be wanted for its properties before as well': {
      change: update(cluster('e', { ring: 'prod' }), cluster('e', { ring: 'canary' })),
      fleet: [...members, active, scheduled(['a', 'b', 'c'], requiring(large))],
    },
    'a cluster that leaves without having been picked': {
      change: deletion(cluster('d', { ring: 'dev' })),
      fleet: world,
    },
    'a cluster that leaves and was to lose the resources anyway': {
      change: deletion(cluster('d', { ring: 'dev' })),
      fleet: [...members, picked, initialized('release', { deletion: ['d'] })],
    },
    'a cluster that is leaving already': {
      change: update(
        {
          family: 'MemberCluster',
          json: { metadata: { name: 'a', deletionTimestamp: '2026-11-16T08:59:00Z', labels: { ring: 'canary' } } },
        },
        cluster('a', {}),
      ),
      fleet: world,
    },
    'a move between stages when the run has finished': {
      change: relabel('a', { ring: 'prod', order: '3' }),
      fleet: [...members, picked, initialized('release', { conditions: [condition('Succeeded', 'True')] })],
    },
    'a move between stages before the run is initialized': {
      change: relabel('a', { ring: 'prod', order: '3' }),
      fleet: [...members, picked, run('release')],
    },
    'the cure of a run that another label has broken': {
      change: update(cluster('a', { ring: 'none' }), cluster('a', { ring: 'canary' })),
      fleet: [cluster('a', { ring: 'none' }), ...members.slice(1), picked, active],
    },
    'what cannot save a run that is lost already': {
      change: relabel('b', { ring: 'none' }),
      fleet: [cluster('a', { ring: 'none' }), ...members.slice(1), picked, active],
    },
    'a move between stages under a run that an edit of the policy has ended already': {
      change: relabel('a', {}),
      fleet: [...members, picked, initialized('prepared', { status: { policySnapshotIndexUsed: '7' } })],
    },
    'a label that matters to a stage of another run alone': {
      change: relabel('a', { ring: 'canary', zone: 'x' }),
      fleet: [
        ...world,
        policySnapshot('blog'),
        run('other', {
          spec: { placementName: 'blog' },
          status: {
            stagedUpdateStrategySnapshot: { stages: [{ name: 'x', labelSelector: { matchLabels: { zone: 'x' } } }] },
            stagesStatus: [{ stageName: 'x', clusters: [] }],
            conditions: [condition('Initialized', 'True')],
          },
        }),
      ],
    },
    'anything, where nobody knows the runs': { change: relabel('a', {}), fleet: world, knowledge: 'partial' },
  },
  rejects: {
    'a cluster that leaves its stage, beside one that is picked twice': {
      change: relabel('a', { ring: 'dev' }),
      fleet: [...members, scheduled(['a', 'b', 'b', 'c'], fixed('a', 'b', 'b', 'c')), active],
      findings: one('no stage would select "a"'),
    },
    'a cluster that is picked twice and leaves its stage': {
      change: relabel('b', { ring: 'dev' }),
      fleet: [...members, scheduled(['a', 'b', 'b', 'c'], fixed('a', 'b', 'b', 'c')), active],
      findings: one('no stage would select "b"'),
    },
    'a cluster that comes back while the run takes its resources from it, where the policy counts': {
      change: creation(gone),
      fleet: [...members, scheduled(['a', 'b', 'c'], { placementType: 'PickN', numberOfClusters: 4 }), removing],
      findings: perhaps(comesBack),
    },
    'a cluster that comes back, which the policy names': {
      change: creation(gone),
      fleet: [...members, scheduled(['a', 'b', 'c'], fixed('a', 'b', 'c', 'e')), removing],
      findings: perhaps(comesBack),
    },
    'a cluster that comes back, where the policy takes all': {
      change: creation(gone),
      fleet: [...members, scheduled(['a', 'b', 'c']), removing],
      findings: joined('stage "prod" would gain "e"'),
    },
    'a move from one stage to another': {
      change: relabel('a', { ring: 'prod', order: '3' }),
      fleet: world,
      findings: one('"a" would move from stage "canary" to "prod"'),
    },
    'a move to a stage that sorts by a label which the cluster does not have': {
      change: relabel('a', { ring: 'prod' }),
      fleet: world,
      findings: one(
        'stage "canary" would lose "a", and stage "prod" would gain "a", and "a" of stage "prod" would have no whole number under its label "order"',
      ),
    },
    'a label that leaves the cluster without a stage': {
      change: relabel('a', {}),
      fleet: world,
      findings: one('no stage would select "a"'),
    },
    'a label that makes two stages select the cluster': {
      change: relabel('a', { ring: 'canary', extra: 'yes' }),
      fleet: [
        ...members,
        picked,
        run('release', {
          status: {
            stagedUpdateStrategySnapshot: {
              stages: [
                stage('canary'),
                { name: 'extra', labelSelector: { matchExpressions: [{ key: 'extra', operator: 'Exists' }] } },
                stage('prod'),
              ],
            },
            stagesStatus: [
              { stageName: 'canary', clusters: [{ clusterName: 'a' }] },
              { stageName: 'extra', clusters: [] },
              { stageName: 'prod', clusters: [{ clusterName: 'b' }, { clusterName: 'c' }] },
            ],
            deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: [] },
            conditions: [condition('Initialized', 'True')],
          },
        }),
      ],
      findings: one('stages "canary" and "extra" would select the same cluster "a"'),
    },
    'another order within a stage': {
      change: relabel('c', { ring: 'prod', order: '0' }),
      fleet: world,
      findings: one('the order of clusters in stage "prod" would change'),
    },
    'an order that is no number': {
      change: relabel('c', { ring: 'prod', order: 'last' }),
      fleet: world,
      findings: one('"c" of stage "prod" would have no whole number under its label "order"'),
    },
    'a cluster that leaves': {
      change: deletion(cluster('b', { ring: 'prod', order: '1' })),
      fleet: world,
      findings: one('placement "shop" would lose "b"'),
    },
    'a cluster that joins and is picked': {
      change: creation(cluster('e', { ring: 'prod', order: '3' })),
      fleet: world,
      findings: joined('stage "prod" would gain "e"'),
    },
    'a cluster that joins and is picked by no stage': {
      change: creation(cluster('e', {})),
      fleet: world,
      findings: joined('no stage would select "e"'),
    },
    'a label that makes the placement pick the cluster': {
      change: relabel('d', { ring: 'canary' }),
      fleet: world,
      findings: joined('stage "canary" would gain "d"'),
    },
    'a taint that goes': {
      change: update(tainted('e', { ring: 'canary' }, 'new'), cluster('e', { ring: 'canary' })),
      fleet: world,
      findings: joined('stage "canary" would gain "e"'),
    },
    'a cluster that may be picked for its properties': {
      change: creation(cluster('e', { ring: 'canary' })),
      fleet: [...members, active, scheduled(['a', 'b', 'c'], requiring(large))],
      findings: perhaps('stage "canary" would gain "e"'),
    },
    'a cluster that joins where the policy asks for nothing': {
      change: creation(cluster('e', { ring: 'canary' })),
      fleet: [...members, active, scheduled(['a', 'b', 'c'], requiring({}))],
      findings: joined('stage "canary" would gain "e"'),
    },
    'a label that makes certain what hung on properties before': {
      change: update(cluster('e', { ring: 'canary' }), cluster('e', { ring: 'canary', pick: 'me' })),
      fleet: [
        ...members,
        active,
        scheduled(['a', 'b', 'c'], requiring(large, { labelSelector: { matchLabels: { pick: 'me' } } })),
      ],
      findings: joined('stage "canary" would gain "e"'),
    },
    'a label under a run that is still stopping, and would be aborted at once': {
      change: relabel('a', {}),
      fleet: [
        ...members,
        picked,
        initialized('release', {
          spec: { state: 'Stop' },
          conditions: [condition('Progressing', 'Unknown', 'UpdateRunStopping')],
        }),
      ],
      findings: (scope) => [
        {
          path: '',
          message: `run "${nameIn(scope, 'release')}" would be aborted for good (create a new run afterwards): no stage would select "a"; the run is stopping, 0 of 3 clusters updated`,
          fix: createAnew(scope, 'release'),
        },
      ],
    },
    'a cluster that may join, under a run that is still stopping': {
      change: creation(cluster('e', { ring: 'canary' })),
      fleet: [
        ...members,
        scheduled(['a', 'b', 'c'], requiring(large)),
        initialized('release', { spec: { state: 'Stop' } }),
      ],
      findings: (scope) => [
        {
          path: '',
          message: `run "${nameIn(scope, 'release')}" may be aborted for good (create a new run afterwards): stage "canary" would gain "e"; the run is stopping, 0 of 3 clusters updated`,
          fix: createAnew(scope, 'release'),
        },
      ],
    },
    'a label under a run of the policy that holds': {
      change: relabel('a', {}),
      fleet: [...members, picked, initialized('release', { status: { policySnapshotIndexUsed: '0' } })],
      findings: one('no stage would select "a"'),
    },
    'a label, by the clusters of the run where there is no policy snapshot': {
      change: relabel('a', {}),
      fleet: [...members, active],
      findings: one('no stage would select "a"'),
    },
    'a cluster that may join, under a run that is not started': {
      change: creation(cluster('e', { ring: 'canary' })),
      fleet: [...members, prepared, scheduled(['a', 'b', 'c'], requiring(large))],
      findings: (scope) => [
        {
          path: '',
          message: `run "${nameIn(scope, 'prepared')}" may fail when it is started (create a new run afterwards): stage "canary" would gain "e"; the run is initialized but not started, 0 of 3 clusters updated`,
          fix: createAnew(scope, 'prepared'),
        },
      ],
    },
    'a label under runs of which some are not started': {
      change: relabel('a', {}),
      fleet: [...world, prepared],
      findings: (scope) => [
        { path: '', message: aborted(scope, 'no stage would select "a"'), fix: letFinish(scope) },
        {
          path: '',
          message: `run "${nameIn(scope, 'prepared')}" could not be started any more (create a new run afterwards): no stage would select "a"; the run is initialized but not started, 0 of 3 clusters updated`,
          fix: createAnew(scope, 'prepared'),
        },
      ],
    },
    'a label under a run of a newer KubeFleet, which may not mind, softly even where it is refused': {
      change: relabel('a', {}),
      fleet: world,
      policy: { kubefleet: { version: 'v0.9.0' }, rules: { 'member-cluster-in-use': 'deny' } },
      findings: (scope) => perhaps('no stage would select "a"')(scope).map((each) => ({ ...each, severity: 'warn' })),
    },
    'a label under a run of the newest KubeFleet that is known': {
      change: relabel('a', {}),
      fleet: world,
      policy: { kubefleet: { version: 'main' }, rules: { 'member-cluster-in-use': 'deny' } },
      findings: (scope) => one('no stage would select "a"')(scope).map((each) => ({ ...each, severity: 'deny' })),
    },
    'a label under more runs of a newer KubeFleet than one can read of': {
      change: relabel('a', {}),
      fleet: [
        ...members,
        picked,
        ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => initialized(name, { spec: { state: 'Initialize' } })),
      ],
      policy: { kubefleet: { version: 'v1.0.0' } },
      findings: (scope) => [
        ...['a', 'b', 'c', 'd', 'e'].map((name) => ({
          path: '',
          message: `run "${nameIn(scope, name)}" may fail when it is started (create a new run afterwards): no stage would select "a"; the run is initialized but not started, 0 of 3 clusters updated`,
          fix: createAnew(scope, name),
        })),
        { path: '', message: `these runs may not survive it either: "${nameIn(scope, 'f')}"` },
      ],
    },
    'a label under more runs than one can read of': {
      change: relabel('a', {}),
      fleet: [
        ...members,
        picked,
        ...['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => initialized(name, { spec: { state: 'Initialize' } })),
      ],
      findings: (scope) => [
        ...['a', 'b', 'c', 'd', 'e'].map((name) => ({
          path: '',
          message: `run "${nameIn(scope, name)}" could not be started any more (create a new run afterwards): no stage would select "a"; the run is initialized but not started, 0 of 3 clusters updated`,
          fix: createAnew(scope, name),
        })),
        {
          path: '',
          message: `these runs would not survive it either: "${nameIn(scope, 'f')}" and "${nameIn(scope, 'g')}"`,
        },
      ],
    },
    'a label under the one active run behind more prepared ones than one can read of': {
      change: relabel('a', {}),
      fleet: [
        ...world,
        ...['a', 'b', 'c', 'd', 'e', 'f'].map((name) => initialized(name, { spec: { state: 'Initialize' } })),
      ],
      findings: (scope) => [
        { path: '', message: aborted(scope, 'no stage would select "a"'), fix: letFinish(scope) },
        ...['a', 'b', 'c', 'd'].map((name) => ({
          path: '',
          message: `run "${nameIn(scope, name)}" could not be started any more (create a new run afterwards): no stage would select "a"; the run is initialized but not started, 0 of 3 clusters updated`,
          fix: createAnew(scope, name),
        })),
        {
          path: '',
          message: `these runs would not survive it either: "${nameIn(scope, 'e')}" and "${nameIn(scope, 'f')}"`,
        },
      ],
    },
    'a label under more runs than a line can name': {
      change: relabel('a', {}),
      fleet: [
        ...members,
        picked,
        ...'a b c d e f g h i j k l m'.split(' ').map((name) => initialized(name, { spec: { state: 'Initialize' } })),
      ],
      findings: (scope) => [
        ...'a b c d e'.split(' ').map((name) => ({
          path: '',
          message: `run "${nameIn(scope, name)}" could not be started any more (create a new run afterwards): no stage would select "a"; the run is initialized but not started, 0 of 3 clusters updated`,
          fix: createAnew(scope, name),
        })),
        {
          path: '',
          message: `these runs would not survive it either: ${'f g h i j'
            .split(' ')
            .map((name) => `"${nameIn(scope, name)}"`)
            .join(', ')} and more of them`,
        },
      ],
    },
    'a label, as a refusal where the operator wants it, even though the spec stays': {
      change: relabel('a', {}),
      fleet: world,
      policy: { rules: { 'member-cluster-in-use': 'deny' } },
      findings: (scope) => [
        { path: '', severity: 'deny', message: aborted(scope, 'no stage would select "a"'), fix: letFinish(scope) },
      ],
    },
  },
});
