import { at, expression, named, policy, run, stage, times, type Asked, type Json } from './worst-cases.js';

/* What tenants can store to be in the way of whoever is judged beside it, and what is judged beside it. */

export const rings = times(3, (index) => stage(index, expression('ring', 'In', [String(index)])));
const plan = { placementName: 'placement-0', stagedRolloutStrategyName: 'hostile', state: 'Run' };

export const longAgo: Json = { creationTimestamp: at };

/** Stages that no other run has, but for the names like those of all. */
const ringsOf = (index: number): readonly Json[] =>
  rings.map((each, place) => ({ ...each, sortingLabelKey: `k${String(index)}`, name: `s${String(place)}` }));

/** A run whose clusters are all there, in an order that shows only at the end that it is lost. */
function nearlyWhole(index: number, clusters: number): Json {
  const whole = run(clusters, 'Run', ringsOf(index)) as { readonly status: Json };
  const names = times(clusters, (each) => `member-${String(each)}`).sort();
  const [last = '', next = ''] = names.splice(-2).reverse();
  const inStage = (list: readonly string[]): readonly Json[] =>
    list.map((clusterName) => ({ clusterName, conditions: [] }));
  const stagesStatus = [[], [...names, last, next], []].map((list, place) => ({
    stageName: `s${String(place)}`,
    clusters: inStage(list),
    conditions: [],
  }));
  return { ...whole, status: { ...whole.status, stagesStatus } };
}

interface ManyRuns {
  readonly count: number;
  readonly runOf: (index: number) => Json;
}

/** Runs of one placement, made to be in the way of whoever is judged beside them. */
export const neighbours: Readonly<Record<string, ManyRuns>> = {
  '10,000 runs': { count: 10_000, runOf: () => run(20, 'Run', rings) },
  '10,000 runs, each with stages of its own': { count: 10_000, runOf: (index) => run(20, 'Run', ringsOf(index)) },
  '10,000 stopped runs': { count: 10_000, runOf: () => run(20, 'Stop', rings) },
  '10,000 runs that nobody has taken up': { count: 10_000, runOf: () => ({ spec: plan }) },
  '200 runs of every cluster': { count: 200, runOf: (index) => nearlyWhole(index, 2_000) },
};

/** What is held against every run of a placement. */
export const besideManyRuns: Readonly<Record<string, Asked>> = {
  'one more': { kind: 'ClusterStagedUpdateRun', operation: 'CREATE', object: { ...named('x'), spec: plan } },
  'the placement is edited': {
    ...{ kind: 'ClusterResourcePlacement', operation: 'UPDATE', name: 'placement-0' },
    object: policy({ placementType: 'PickN', numberOfClusters: 3 }),
    oldObject: policy({}),
  },
  'the placement is deleted': {
    ...{ kind: 'ClusterResourcePlacement', operation: 'DELETE', name: 'placement-0' },
    oldObject: policy({}),
  },
  'a member cluster is relabelled': {
    ...{ kind: 'MemberCluster', operation: 'UPDATE', name: 'member-7' },
    object: { ...named('member-7', { labels: { ring: '2' } }), spec: {} },
    oldObject: { ...named('member-7', { labels: { ring: '1' } }), spec: {} },
  },
  'a member cluster leaves': {
    ...{ kind: 'MemberCluster', operation: 'DELETE', name: 'member-7' },
    oldObject: { ...named('member-7', { labels: { ring: '1' } }), spec: {} },
  },
  'an eviction': {
    ...{ kind: 'ClusterResourcePlacementEviction', operation: 'CREATE' },
    object: { ...named('x'), spec: { placementName: 'placement-0', clusterName: 'member-7' } },
  },
};
