import rule from '../../../src/rules/eviction/eviction-in-use.js';
import {
  cluster,
  condition,
  creation,
  placement,
  placementName,
  policySnapshot,
  run,
  stage,
  type ChangeDraft,
  type Draft,
} from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

type Json = Readonly<Record<string, unknown>>;

function eviction(clusterName: string, of = placementName): ChangeDraft {
  return creation({ family: 'Eviction', json: { metadata: { name: 'e' }, spec: { placementName: of, clusterName } } });
}

function initialized(name: string, more: { spec?: Json; conditions?: readonly object[] } = {}): Draft {
  return run(name, {
    spec: more.spec ?? {},
    status: {
      conditions: [condition('Initialized', 'True'), ...(more.conditions ?? [])],
      stagedUpdateStrategySnapshot: { stages: [stage('canary')] },
      stagesStatus: [{ stageName: 'canary', clusters: [{ clusterName: 'a' }, { clusterName: 'b' }] }],
      deletionStageStatus: { stageName: 'kubernetes-fleet.io/deleteStage', clusters: [{ clusterName: 'old' }] },
    },
  });
}

const members = ['a', 'b', 'c', 'old'].map((name) => cluster(name, { ring: 'canary' }));
const scheduled = (...names: readonly string[]): Draft =>
  policySnapshot(placementName, {
    status: { targetClusters: names.map((clusterName) => ({ clusterName, selected: true })) },
  });
const world = [placement(), scheduled('a', 'b'), ...members];

/** Evictions are for placements of cluster scope; a namespaced twin of the same name has nothing to do with them. */
const inCluster =
  (...expected: readonly Expected[]) =>
  ({ namespace }: Scope): readonly Expected[] =>
    namespace === undefined ? expected : [];

testRule(rule, {
  accepts: {
    'an eviction with no run': { change: eviction('a'), fleet: world },
    'an eviction of another placement': { change: eviction('a', 'blog'), fleet: [...world, initialized('release')] },
    'an eviction from a cluster that the run does not have': {
      change: eviction('c'),
      fleet: [...world, initialized('release')],
    },
    'an eviction from a cluster that is to lose the resources anyway': {
      change: eviction('old'),
      fleet: [...world, initialized('release')],
    },
    'an eviction when the run has finished': {
      change: eviction('a'),
      fleet: [...world, initialized('release', { conditions: [condition('Succeeded', 'True')] })],
    },
    'an eviction before the run is initialized': { change: eviction('a'), fleet: [...world, run('release')] },
    'an eviction under a run that another cluster has ended already by joining': {
      change: eviction('a'),
      fleet: [
        placement(),
        scheduled('a', 'b', 'c'),
        ...members,
        initialized('release', { spec: { state: 'Initialize' } }),
      ],
    },
    'an eviction that KubeFleet refuses': {
      change: eviction('a'),
      fleet: [
        placement(placementName, { spec: { policy: { placementType: 'PickFixed', clusterNames: ['a', 'b'] } } }),
        ...world.slice(1),
        initialized('release'),
      ],
    },
  },
  rejects: {
    'an eviction under a run': {
      change: eviction('a'),
      fleet: [...world, initialized('release')],
      findings: inCluster({
        path: 'spec.clusterName',
        message:
          'active run "release" may be aborted for good (let it finish first if you can): placement "shop" would be taken away from "a"; the run is rolling out, 0 of 2 clusters updated',
        fix: `Let the run finish first, if this can wait.\nkubectl wait clusterstagedupdateruns release '--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}' --timeout=4h`,
      }),
    },
    'an eviction under a run of a newer KubeFleet, softly even where it is refused': {
      change: eviction('a'),
      fleet: [...world, initialized('release')],
      policy: { kubefleet: { version: 'v0.9.0' }, rules: { 'eviction-in-use': 'deny' } },
      findings: inCluster({
        path: 'spec.clusterName',
        severity: 'warn',
        message:
          'active run "release" may be aborted for good (let it finish first if you can): placement "shop" would be taken away from "a"; the run is rolling out, 0 of 2 clusters updated',
        fix: `Let the run finish first, if this can wait.\nkubectl wait clusterstagedupdateruns release '--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}' --timeout=4h`,
      }),
    },
    'an eviction under two runs': {
      change: eviction('a'),
      fleet: [...world, initialized('hotfix'), initialized('release', { spec: { state: 'Initialize' } })],
      findings: inCluster(
        {
          path: 'spec.clusterName',
          message:
            'active run "hotfix" may be aborted for good (let it finish first if you can): placement "shop" would be taken away from "a"; the run is rolling out, 0 of 2 clusters updated',
          fix: `Let the run finish first, if this can wait.\nkubectl wait clusterstagedupdateruns hotfix '--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}' --timeout=4h`,
        },
        {
          path: 'spec.clusterName',
          message:
            'run "release" may fail when it is started (create a new run afterwards): placement "shop" would be taken away from "a"; the run is initialized but not started, 0 of 2 clusters updated',
          fix: 'Create a new run after this change, and delete this one.\nkubectl delete clusterstagedupdateruns release',
        },
      ),
    },
    'an eviction, by the clusters of the run where there is no policy snapshot': {
      change: eviction('b'),
      fleet: [placement(), ...members, initialized('release')],
      findings: inCluster({
        path: 'spec.clusterName',
        message:
          'active run "release" may be aborted for good (let it finish first if you can): placement "shop" would be taken away from "b"; the run is rolling out, 0 of 2 clusters updated',
        fix: `Let the run finish first, if this can wait.\nkubectl wait clusterstagedupdateruns release '--for=jsonpath={.status.conditions[?(@.type=="Succeeded")].status}' --timeout=4h`,
      }),
    },
    'an eviction under a run that is not started': {
      change: eviction('b'),
      fleet: [...world, initialized('release', { spec: { state: 'Initialize' } })],
      findings: inCluster({
        path: 'spec.clusterName',
        message:
          'run "release" may fail when it is started (create a new run afterwards): placement "shop" would be taken away from "b"; the run is initialized but not started, 0 of 2 clusters updated',
        fix: 'Create a new run after this change, and delete this one.\nkubectl delete clusterstagedupdateruns release',
      }),
    },
  },
});
