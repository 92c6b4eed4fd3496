import type { Change } from '../engine/change.js';
import { evaluate } from '../engine/evaluate.js';
import { askedExemptions, asksForExemption, bypassAnnotation } from '../engine/exemption.js';
import type { Policy } from '../engine/policy.js';
import type { Rule } from '../engine/rule.js';
import type { Verdict } from '../engine/verdict.js';
import { scopeOf } from '../fleet/kinds.js';
import type { KnownFleet } from '../sources/fleet-source.js';
import type { ReadRequest } from '../sources/live/read-request.js';
import { byPlace, type ManifestProblem } from '../sources/manifests/files.js';
import { decodeManifests, misnamedProblems, problemAt, type ManifestObject } from '../sources/manifests/objects.js';
import type { Manifests } from '../sources/manifests/read.js';
import { judgeTogether, type Judged } from './judge-together.js';

export interface ManifestsToJudge {
  readonly manifests: Manifests;
  /** The hub as it stands; what neither it nor the manifests hold is unknown. */
  readonly known: KnownFleet;
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  readonly now: number;
  /** Whether it has taken as long as it may. */
  readonly isTimeUp?: () => boolean;
}

/** Every manifest that could be read, judged; and what could not be read. */
export interface JudgedManifests {
  readonly judged: readonly Judged[];
  readonly errors: readonly ManifestProblem[];
}

/** Judges manifests against a fleet. */
export function judgeManifests({ manifests, known, rules, policy, now, isTimeUp }: ManifestsToJudge): JudgedManifests {
  const objects = decodeManifests(manifests.documents, 'manifests', manifests.namespace);
  // Here nobody can be asked to wait: what cannot be known is noted, and decides nothing.
  const lenient: Policy = { ...policy, undetermined: { default: 'note', rules: {} } };
  const judged = judgeTogether(objects, known.fleet, (change, world) => {
    if (isTimeUp?.() === true) return undefined;
    return unexempted(evaluate(change, { rules, fleet: world, policy: lenient, now }), change, now);
  });
  const misnamed = misnamedProblems(manifests.documents);
  const unfit = objects.flatMap(({ problems }) => problems);
  const errors = [...known.problems, ...manifests.problems, ...misnamed, ...unfit, ...notJudged(objects, judged)];
  return { judged, errors: errors.sort(byPlace) };
}

/** The first that time was not enough to judge, for all of them. */
function notJudged(objects: readonly ManifestObject[], judged: readonly Judged[]): readonly ManifestProblem[] {
  const done = new Set(judged.map(({ manifest }) => manifest));
  const first = objects.find((object) => object.problems.length === 0 && !done.has(object));
  if (first === undefined) return [];
  const message = 'is not judged, and neither is what comes after it: what comes before it took too long';
  return [{ ...problemAt(first.document, { path: [], message }), fix: 'Check a part of the manifests at a time.' }];
}

/** Who will apply a manifest nobody knows here: what it asks to be exempted from is refused all the same, and that is said. */
function unexempted(verdict: Verdict, change: Change, now: number): Verdict {
  if (!asksForExemption(change)) return verdict;
  const asked = askedExemptions(change, now);
  const findings = verdict.findings.map((finding) => {
    if (finding.severity !== 'deny' || !asked.has(finding.rule)) return finding;
    const [sentence = '', ...lines] = finding.fix.split('\n');
    return { ...finding, fix: [`${sentence} ${exemptionNotAsked}`, ...lines].join('\n') };
  });
  return { ...verdict, findings };
}

const exemptionNotAsked = `(Whether ${bypassAnnotation} exempts it, is decided by the rights of whoever applies it.)`;

/** What manifests need of a hub that is not known unasked: the bindings and the placements of their runs, and their member clusters, in full. */
export function requestsOf({ documents, namespace: around }: Manifests): readonly ReadRequest[] {
  return decodeManifests(documents, 'fleet', around).flatMap(({ kind: { family }, object }): ReadRequest[] => {
    const { name, namespace } = object.metadata;
    if (family === 'MemberCluster') return [{ how: 'get', family, key: { name, namespace } }];
    if (!('spec' in object) || !('stagedRolloutStrategyName' in object.spec)) return [];
    const { placementName } = object.spec;
    const placement = { name: placementName, namespace: scopeOf('Placement', namespace) };
    return [bindingsOf(placementName, namespace), { how: 'get', family: 'Placement', key: placement }];
  });
}

/** Asks for the bindings of a placement. */
export function bindingsOf(placement: string, namespace: string | undefined): ReadRequest {
  return { how: 'list', family: 'Binding', query: { placement, namespace: scopeOf('Binding', namespace) } };
}
