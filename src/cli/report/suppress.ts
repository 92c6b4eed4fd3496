import { entries } from '../../config/entries.js';
import type { Finding } from '../../engine/verdict.js';
import { quoted } from '../../fleet/quoted.js';
import { manifestChecks } from '../../guard/manifest-checks.js';
import type { JudgedManifests } from '../../guard/manifest-judge.js';
import { didYouMean } from '../../rules/wording/did-you-mean.js';
import type { ManifestProblem } from '../../sources/manifests/files.js';
import type { Suppression } from '../../sources/manifests/suppressions.js';

/** A comment that cannot be followed, or need not be. */
type CommentProblem = Required<Omit<ManifestProblem, 'isForeign' | 'fix' | 'inText'>>;

interface Located extends Finding {
  readonly file: string;
  readonly line: number;
}

interface Suppressed<F> {
  /** What is left. */
  readonly findings: readonly F[];
  /** With the reason that the comment gives. */
  readonly suppressed: readonly (F & { readonly reason: string })[];
  readonly unused: readonly CommentProblem[];
  /** Comments that cannot be followed. */
  readonly problems: readonly CommentProblem[];
}

/** Takes out what comments suppress; one that names no rule, an unknown one or no reason suppresses nothing. */
export function suppress<F extends Located>(
  comments: readonly Suppression[],
  findings: readonly F[],
  outcome: JudgedManifests,
): Suppressed<F> {
  const problems = comments.flatMap(problemIn);
  const valid = comments.filter((comment) => problemIn(comment).length === 0);
  const byFile = groupedByFile(valid);
  const used = new Set<Suppression>();
  const left: F[] = [];
  const suppressed: (F & { readonly reason: string })[] = [];
  for (const finding of findings) {
    const comment = byFile.get(finding.file)?.find((one) => covers(one, finding));
    if (comment !== undefined) used.add(comment);
    if (comment === undefined || finding.outcome === 'undetermined') left.push(finding);
    else suppressed.push({ ...finding, reason: comment.reason });
  }
  const idle = valid.filter((comment) => !used.has(comment) && isSettled(comment, findings, outcome));
  return { findings: left, suppressed, unused: idle.map(unusedText), problems };
}

function groupedByFile(comments: readonly Suppression[]): ReadonlyMap<string, readonly Suppression[]> {
  const byFile = new Map<string, Suppression[]>();
  for (const comment of comments) byFile.set(comment.file, [...(byFile.get(comment.file) ?? []), comment]);
  return byFile;
}

function covers({ rule, from, to }: Suppression, finding: Located): boolean {
  return rule === finding.rule && from <= finding.line && finding.line <= to;
}

/** Whether it is known that there is nothing to suppress: all was judged, and no premise of the rule has spoken instead. */
function isSettled(
  { file, rule }: Suppression,
  findings: readonly Located[],
  { judged, errors }: JudgedManifests,
): boolean {
  const entry = entries.find(({ id }) => id === rule);
  const premises = entry !== undefined && 'after' in entry ? (entry.after as readonly string[]) : [];
  const spokeInstead = findings.some((finding) => finding.file === file && premises.includes(finding.rule));
  const here = judged.filter(({ manifest }) => manifest.document.file === file);
  const isKnown = here.every(({ verdict }) => !verdict.undetermined.includes(rule));
  return isKnown && !spokeInstead && errors.every((error) => error.file !== file);
}

function unusedText({ file, line, column, rule }: Suppression): CommentProblem {
  return {
    file,
    line,
    column,
    message: `this comment suppresses nothing: ${rule} has nothing to say here; take it out`,
  };
}

const ids: readonly string[] = [...entries, ...Object.values(manifestChecks)].map(({ id }) => id);

function problemIn({ file, line, column, rule, reason }: Suppression): readonly CommentProblem[] {
  const problem = (message: string): readonly CommentProblem[] => [{ file, line, column, message }];
  if (rule === '') return problem('names no rule; write "# stageguard:ignore RULE reason"');
  if (!ids.includes(rule)) return problem(`there is no rule ${quoted(rule)}${didYouMean(rule, ids)}`);
  if (reason === '') return problem(`gives no reason; write "# stageguard:ignore ${rule} reason"`);
  return [];
}
