import { evaluate } from '../engine/evaluate.js';
import type { Policy } from '../engine/policy.js';
import type { Rule } from '../engine/rule.js';
import { scopeOf } from '../fleet/kinds.js';
import type { KnownFleet } from '../sources/fleet-source.js';
import type { ReadRequest } from '../sources/live/read-request.js';
import { byPlace, type ManifestProblem } from '../sources/manifests/files.js';
import { decodeManifests, misnamedProblems } from '../sources/manifests/objects.js';
import type { Manifests } from '../sources/manifests/read.js';
import { judgeTogether, type Judged } from './judge-together.js';

export interface ManifestsToJudge {
  readonly manifests: Manifests;
  /** The hub as it stands; what neither it nor the manifests hold is unknown. */
  readonly known: KnownFleet;
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  readonly now: number;
}

/** Every manifest that could be read, judged; and what could not be read. */
export interface JudgedManifests {
  readonly judged: readonly Judged[];
  readonly errors: readonly ManifestProblem[];
}

/** Judges manifests against a fleet. */
export function judgeManifests({ manifests, known, rules, policy, now }: ManifestsToJudge): JudgedManifests {
  const objects = decodeManifests(manifests.documents, 'manifests');
  // Here nobody can be asked to wait: what cannot be known is noted, and decides nothing.
  const lenient: Policy = { ...policy, undetermined: { default: 'note', rules: {} } };
  const judged = judgeTogether(objects, known.fleet, (change, world) =>
    evaluate(change, { rules, fleet: world, policy: lenient, now }),
  );
  const misnamed = misnamedProblems(manifests.documents);
  const unfit = objects.flatMap(({ problems }) => problems);
  const errors = [...known.problems, ...manifests.problems, ...misnamed, ...unfit];
  return { judged, errors: errors.sort(byPlace) };
}

/** What manifests need of a hub that is not known unasked: the bindings of their runs, and their member clusters in full. */
export function requestsOf({ documents }: Manifests): readonly ReadRequest[] {
  return decodeManifests(documents, 'fleet').flatMap(({ kind: { family }, object }): ReadRequest[] => {
    const { name, namespace } = object.metadata;
    if (family === 'MemberCluster') return [{ how: 'get', family, key: { name, namespace } }];
    if (!('spec' in object) || !('stagedRolloutStrategyName' in object.spec)) return [];
    return [bindingsOf(object.spec.placementName, namespace)];
  });
}

/** Asks for the bindings of a placement. */
export function bindingsOf(placement: string, namespace: string | undefined): ReadRequest {
  return { how: 'list', family: 'Binding', query: { placement, namespace: scopeOf('Binding', namespace) } };
}
