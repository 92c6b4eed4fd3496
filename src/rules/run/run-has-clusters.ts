import { kubectl } from '../../engine/commands.js';
import { count, fixWith, quoteList } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import type { PolicySnapshot } from '../../fleet/model.js';
import { bindingsFor, schedulingFor } from '../../fleet/rollout.js';
import type { Bindings } from '../../fleet/scheduling.js';

export default defineRule({
  id: 'run-has-clusters',
  title: 'The placement of a run has the clusters it asks for',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-placement-exists', 'run-placement-scheduled'],
  reads: ['Placement', 'PolicySnapshot', 'Binding'],
  why: 'KubeFleet fails a run of a placement that no cluster is scheduled for, and one whose clusters are not as many as its policy asks for. A policy that takes all clusters counts as scheduled even if none fits.',
  fix: 'Join or label clusters so that the policy of the placement picks them, then apply the run again.',

  *check({ object: run, namespace }, { facts }) {
    const scheduling = schedulingFor(run, facts);
    const bindings = bindingsFor(run, facts);
    if (scheduling?.is !== 'scheduled' || bindings === undefined) return;
    const name = run.spec.placementName;
    const { clusterCount, snapshot } = scheduling;
    const text = shortage({ name, namespace, bindings, snapshot, wanted: clusterCount });
    if (text !== undefined) {
      yield { path: ['spec', 'placementName'], ...text, message: `placement "${name}" ${text.message}` };
    }
  },
});

interface Case {
  readonly name: string;
  readonly namespace: string | undefined;
  readonly bindings: Bindings;
  readonly snapshot: PolicySnapshot;
  readonly wanted: number | undefined;
}

type Text = Omit<Violation, 'path'>;

/** What a run would fail for. While clusters are bound by an older policy, KubeFleet itself waits and fails nothing. */
function shortage(given: Case): Text | undefined {
  const { scheduled, toDelete, stale } = given.bindings;
  if (stale.length > 0) return undefined;
  const repeated = repetition(given);
  if (repeated !== undefined) return repeated;
  if (given.wanted !== undefined && given.wanted !== scheduled.length) return wrongCount(given, given.wanted);
  return scheduled.length + toDelete.length > 0 ? undefined : nothingScheduled(given);
}

/** The CRD lets a namespaced placement name a cluster twice; KubeFleet counts names, but binds clusters. */
function repetition({ snapshot, ...of }: Case): Text | undefined {
  const policy = snapshot.spec.policy;
  const names = policy?.placementType === 'PickFixed' ? policy.clusterNames : [];
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length === 0) return undefined;
  return {
    message: `names ${quoteList(twice)} more than once in spec.policy.clusterNames`,
    fix: fixWith(
      'Name each cluster once, wait until the placement is scheduled, then apply the run again.',
      patchPolicy(of, { clusterNames: [...new Set(names)] }),
    ),
  };
}

function wrongCount({ name, namespace, bindings }: Case, wanted: number): Text {
  const bound = bindings.scheduled.length;
  return {
    message: `asks for ${count(wanted, 'cluster')}, but at the moment ${String(bound)} ${bound === 1 ? 'is' : 'are'} bound to it`,
    fix: fixWith(
      'Wait a few seconds, then apply the run again. This shows the clusters of the placement:',
      kubectl('describe', { family: 'Placement', name, namespace }),
    ),
    settling: `bindings of ${namespace ?? ''}/${name}`,
  };
}

function nothingScheduled({ name, namespace, snapshot, wanted }: Case): Text {
  if (snapshot.spec.policy?.placementType === 'PickFixed') {
    return {
      message: 'names no cluster: spec.policy.clusterNames is empty',
      fix: fixWith(
        'Name the clusters that it is to have, wait until it is scheduled, then apply the run again.',
        kubectl('edit', { family: 'Placement', name, namespace }),
      ),
    };
  }
  if (wanted === 0) {
    return {
      message: 'asks for no cluster: spec.policy.numberOfClusters is 0',
      fix: fixWith(
        'Say how many clusters it is to have, wait until it is scheduled, then apply the run again.',
        patchPolicy({ name, namespace }, { numberOfClusters: 1 }),
      ),
    };
  }
  return {
    message: 'is scheduled, but no cluster fits its policy',
    fix: fixWith(
      'Join or label clusters so that the policy of the placement picks them, then apply the run again. This shows the policy:',
      kubectl('describe', { family: 'Placement', name, namespace }),
    ),
  };
}

function patchPolicy({ name, namespace }: Pick<Case, 'name' | 'namespace'>, policy: object): string {
  const patch = JSON.stringify({ spec: { policy } });
  return kubectl('patch', { family: 'Placement', name, namespace }, '--type=merge', '-p', patch);
}
