import { kubectl } from '../wording/commands.js';
import { count, fixWith, quoteList } from '../../engine/message.js';
import type { RunStart } from '../../engine/change.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { isObjectName } from '../../fleet/kinds.js';
import type { PolicySnapshot } from '../../fleet/model.js';
import { isMiscounted } from '../../fleet/plan-changes.js';
import { bindingsFor, schedulingFor } from '../../fleet/rollout.js';
import { isInitialized } from '../../fleet/run.js';
import type { Bindings } from '../../fleet/scheduling.js';
import { harmlessJson, quoted } from '../../fleet/quoted.js';
import { creationsAndStarts } from '../targets.js';

export default defineRule({
  id: 'run-has-clusters',
  title: 'The placement of a run has the clusters it asks for',
  severity: 'deny',
  appliesTo: creationsAndStarts,
  after: ['run-placement-exists', 'run-placement-scheduled'],
  reads: ['Placement', 'PolicySnapshot', 'Binding'],
  why: 'KubeFleet fails a run of a placement that no cluster is scheduled for, and one whose clusters are not as many as its policy asks for. A policy that takes all clusters counts as scheduled even if none fits.',
  fix: 'Join or label clusters so that the policy of the placement picks them, then try again.',

  *check(change, { facts }) {
    const { object: run, namespace } = change;
    const scheduling = schedulingFor(run, facts);
    const bindings = bindingsFor(run, facts);
    if (scheduling?.is !== 'scheduled' || bindings === undefined) return;
    const name = run.spec.placementName;
    const { clusterCount, snapshot } = scheduling;
    const given = { name, namespace, bindings, snapshot, wanted: clusterCount };
    const text = isOfInitialized(change)
      ? miscount(given, isMiscounted({ run, scheduling, bindings }))
      : shortage(given);
    if (text !== undefined) {
      yield { path: ['spec', 'placementName'], ...text, message: `placement ${quoted(name)} ${text.message}` };
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

/** Of a run that is initialized, another rule tells what has changed for good; what is left heals. */
function miscount(given: Case, isOff: boolean): Text | undefined {
  const { bindings, wanted } = given;
  return isOff && wanted !== undefined && bindings.stale.length === 0 ? wrongCount(given, wanted) : undefined;
}

function isOfInitialized(change: RunStart): boolean {
  return change.operation === 'UPDATE' && isInitialized(change.oldObject);
}

/**
 * The CRD lets a namespaced placement name a cluster twice. KubeFleet counts names; a new placement gets a binding for each
 * of them (scheduler/framework/frameworkutils.go), one whose policy is changed gets one for each cluster.
 */
function repetition({ snapshot, bindings, ...of }: Case): Text | undefined {
  const policy = snapshot.spec.policy;
  const names = policy?.placementType === 'PickFixed' ? policy.clusterNames : [];
  const seen = new Set<string>();
  const twice = names.filter((name) => seen.size === seen.add(name).size);
  if (twice.length === 0) return undefined;
  const isBoundTwice = bindings.scheduled.length === names.length;
  return {
    message: `names ${quoteList(twice)} more than once in spec.policy.clusterNames${isBoundTwice ? ', and each time counts' : ''}`,
    ...(isBoundTwice && { atMost: 'warn' }),
    fix: fixWith(
      'Name each cluster once, wait until the placement is scheduled, then try again.',
      // What is no name of a cluster is for a person to look at.
      names.every(isObjectName)
        ? patchPolicy(of, { clusterNames: [...new Set(names)] })
        : kubectl('edit', { family: 'Placement', ...of }),
    ),
  };
}

function wrongCount({ name, namespace, bindings }: Case, wanted: number): Text {
  const bound = bindings.scheduled.length;
  return {
    message: `asks for ${count(wanted, 'cluster')}, but at the moment ${String(bound)} ${bound === 1 ? 'is' : 'are'} bound to it`,
    fix: fixWith(
      'Wait a few seconds, then try again. This shows the clusters of the placement:',
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
        'Name the clusters that it is to have, wait until it is scheduled, then try again.',
        kubectl('edit', { family: 'Placement', name, namespace }),
      ),
    };
  }
  if (wanted === 0) {
    return {
      message: 'asks for no cluster: spec.policy.numberOfClusters is 0',
      fix: fixWith(
        'Say how many clusters it is to have, wait until it is scheduled, then try again.',
        patchPolicy({ name, namespace }, { numberOfClusters: 1 }),
      ),
    };
  }
  return {
    message: 'is scheduled, but no cluster fits its policy',
    fix: fixWith(
      'Join or label clusters so that the policy of the placement picks them, then try again. This shows the policy:',
      kubectl('describe', { family: 'Placement', name, namespace }),
    ),
  };
}

function patchPolicy({ name, namespace }: Pick<Case, 'name' | 'namespace'>, policy: object): string {
  const patch = harmlessJson({ spec: { policy } });
  return kubectl('patch', { family: 'Placement', name, namespace }, '--type=merge', '-p', patch);
}
