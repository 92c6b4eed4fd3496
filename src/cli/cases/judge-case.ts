import type { Case, Said } from '../../config/cases.js';
import { evaluate } from '../../engine/evaluate.js';
import type { Policy } from '../../engine/policy.js';
import type { Rule } from '../../engine/rule.js';
import type { Verdict } from '../../engine/verdict.js';
import { decodeReview } from '../../http/admission-review.js';
import { judgeManifests } from '../../guard/manifest-judge.js';
import { plain } from '../../fleet/quoted.js';
import { fleetIn } from '../../sources/manifests/fleet-files.js';
import type { ManifestProblem } from '../../sources/manifests/files.js';
import type { ManifestDocument } from '../../sources/manifests/parse.js';
import type { Manifests } from '../../sources/manifests/read.js';
import { storedIn } from '../../sources/manifests/watch.js';
import { reported, standingOf, type ReportedFinding } from '../report/model.js';
import { identityOf, reviewOf } from '../try/review-of.js';

/** A case with all that it names. */
export interface CaseToJudge {
  readonly one: Case;
  readonly given: Manifests;
  readonly write: Manifests;
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  readonly now: number;
}

/** What the rules say of a case. */
export interface JudgedCase {
  readonly found: Said;
  readonly findings: readonly ReportedFinding[];
  readonly failures: Verdict['failures'];
  readonly errors: readonly string[];
}

/** Judges the write of a case against the hub that it is given; what that does not hold does not exist. */
export function judgeCase(input: CaseToJudge): JudgedCase {
  const { verdicts, errors } = isPlain(input) ? asManifests(input) : asReviews(input);
  const findings = verdicts.flatMap(reported);
  return {
    found: saidBy(findings),
    findings,
    failures: verdicts.flatMap(({ failures }) => failures),
    errors,
  };
}

interface Outcome {
  readonly verdicts: readonly Verdict[];
  readonly errors: readonly string[];
}

/** Whether a write is what `check` judges: manifests that somebody applies. */
function isPlain({ one: { operation, subresource, user }, write }: CaseToJudge): boolean {
  const isReview = write.documents.some(({ json }) => json['kind'] === 'AdmissionReview');
  return operation === 'apply' && subresource === undefined && user === undefined && !isReview;
}

function asManifests({ given, write, rules, policy, now }: CaseToJudge): Outcome {
  const { judged, errors } = judgeManifests({ manifests: write, known: fleetIn(given), rules, policy, now });
  const isNothing = judged.length + errors.length === 0;
  const nothing = isNothing ? ['the write holds no object that stageguard judges'] : [];
  return { verdicts: judged.map(({ verdict }) => verdict), errors: [...errors.map(problemText), ...nothing] };
}

/** The AdmissionReviews that an API server would send, each against the hub that is given. */
function asReviews({ one, given, write, rules, policy, now }: CaseToJudge): Outcome {
  const { fleet, problems } = fleetIn(given);
  const lenient: Policy = { ...policy, undetermined: { default: 'note', rules: {} } };
  const parts = write.documents.map((document): Outcome => {
    const review = reviewFor(document, one, given);
    if (typeof review === 'string') return { verdicts: [], errors: [review] };
    const { subject } = decodeReview(review);
    if (subject === undefined)
      return { verdicts: [], errors: [`${plain(document.file)}: nobody asks stageguard about it`] };
    return { verdicts: [evaluate(subject.change, { rules, fleet, policy: lenient, now })], errors: [] };
  });
  return {
    verdicts: parts.flatMap(({ verdicts }) => verdicts),
    errors: [...[...problems, ...write.problems].map(problemText), ...parts.flatMap(({ errors }) => errors)],
  };
}

/** The review of a write, or why there is none. */
function reviewFor({ json, kind, file }: ManifestDocument, one: Case, given: Manifests): object | string {
  if (json['kind'] === 'AdmissionReview') return json;
  if (kind === undefined) return `${plain(file)}: is of no kind that stageguard judges`;
  const identity = identityOf(kind, json);
  const stored = storedIn(given.documents, { plural: kind.plural, ...identity }) as typeof json | undefined;
  const { operation, subresource, user = defaultUser } = one;
  if (stored === undefined && (operation === 'delete' || subresource !== undefined)) {
    return `${kind.kind} ${plain(identity.name)} is not in what is given`;
  }
  const does = operation === 'delete' ? 'DELETE' : stored === undefined ? 'CREATE' : 'UPDATE';
  return reviewOf({ kind, json, stored, operation: does, subresource, user, dryRun: false }, identity);
}

const defaultUser = 'kubernetes-admin';

function saidBy(findings: readonly ReportedFinding[]): Said {
  const of = (standing: ReturnType<typeof standingOf>): readonly string[] =>
    [...new Set(findings.filter((finding) => standingOf(finding) === standing).map(({ rule }) => rule))].sort();
  return { refused: of('refused'), warned: of('warning'), audited: of('audited'), unknown: of('unknown') };
}

function problemText({ file, line, column, message }: ManifestProblem): string {
  return `${[plain(file), line, column].filter((part) => part !== undefined).join(':')}: ${message}`;
}
