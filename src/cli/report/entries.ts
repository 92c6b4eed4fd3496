import { createHash } from 'node:crypto';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { findingText } from '../../engine/message.js';
import type { Subject } from '../../engine/verdict.js';
import { formatPath } from '../../fleet/path.js';
import { visible, visibleLine } from '../../fleet/quoted.js';
import type { ManifestProblem } from '../../sources/manifests/files.js';
import type { EditInText } from '../../sources/manifests/places.js';
import { stdinName } from '../../sources/manifests/read.js';
import { standingOf, type CheckReport, type LocatedFinding, type Report } from './model.js';
import type { ReportedFinding, Standing } from './model.js';

/** The id under which reports for programs tell what could not be read; no rule is called that. */
export const unreadable = 'unreadable';

/** The id of a comment that keeps nothing from being told. */
export const unusedComment = 'unused-ignore';

/** One thing that a report tells, whatever it comes from: all formats for programs show the same. */
export interface Entry {
  readonly standing: Standing | 'error';
  readonly rule: string;
  readonly subject: Subject | undefined;
  readonly path: string;
  /** One line. */
  readonly message: string;
  /** A sentence, then lines to paste; absent where the message says it all. */
  readonly fix: string | undefined;
  /** All of it, for people: message and fix. */
  readonly text: string;
  readonly place: EntryPlace | undefined;
  /** What puts it right in the text. */
  readonly inText: EditInText | undefined;
  /** The same for the same problem while lines around it come and go; no two entries of a report have the same. */
  readonly fingerprint: string;
}

export interface EntryPlace {
  /** Below the working folder where it is there, with slashes. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What could not be read first, then the findings. */
export function entriesOf(report: Report, folder: string): readonly Entry[] {
  const { errors, findings } = report;
  const fingerprints = new Fingerprints();
  const drafts = [
    ...errors.map((error) => errorEntry(error, folder)),
    ...findings.map((finding) => findingEntry(finding, folder)),
    ...(report.of === 'check' ? report.unused.map((comment) => unusedEntry(comment, folder)) : []),
  ];
  return drafts.map((draft) => ({ ...draft, fingerprint: fingerprints.of(draft) }));
}

/** What comments keep from being told: for formats that can tell it as that. */
export function suppressedEntries(
  { suppressed }: CheckReport,
  folder: string,
): readonly (Entry & { readonly reason: string })[] {
  const fingerprints = new Fingerprints();
  return suppressed.map(({ reason, ...finding }) => {
    const draft = findingEntry(finding, folder);
    return { ...draft, reason: visible(reason), fingerprint: `${fingerprints.of(draft)}-suppressed` };
  });
}

type Draft = Omit<Entry, 'fingerprint'>;

function errorEntry(error: ManifestProblem, folder: string): Draft {
  const message = visibleLine(error.message);
  const fix = error.fix === undefined ? undefined : visibleLine(error.fix);
  const text = fix === undefined ? message : `${message}\n  Fix: ${fix}`;
  const nowhere = { subject: undefined, path: '' };
  return {
    standing: 'error',
    rule: unreadable,
    message,
    fix,
    text,
    ...nowhere,
    place: placeOf(error, folder),
    inText: error.inText,
  };
}

function unusedEntry(comment: ManifestProblem, folder: string): Draft {
  return { ...errorEntry(comment, folder), standing: 'warning', rule: unusedComment };
}

function findingEntry(finding: ReportedFinding & Pick<LocatedFinding, 'inText'>, folder: string): Draft {
  const { rule, subject, fix } = finding;
  return {
    standing: standingOf(finding),
    rule,
    subject,
    path: formatPath(finding.path),
    message: visible(finding.message),
    fix: fix.split('\n').map(visible).join('\n'),
    text: findingText(finding),
    place: placeOf(finding, folder),
    inText: finding.inText,
  };
}

/** Standard input is no place that a program could open. */
export function placeOf(
  { file, line = 1, column = 1 }: Partial<ManifestProblem>,
  folder: string,
): EntryPlace | undefined {
  if (file === undefined || file === stdinName) return undefined;
  return { file: belowFolder(file, folder), line, column };
}

function belowFolder(file: string, folder: string): string {
  const below = relative(folder, resolve(folder, file));
  const isBelow = below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
  return (isBelow ? below : resolve(folder, file)).split(sep).join('/');
}

class Fingerprints {
  private readonly seen = new Map<string, number>();

  /** The message holds values that change with every edit; where and what stay. */
  of({ rule, subject, path, place }: Draft): string {
    const what = JSON.stringify([rule, place?.file, subject?.kind, subject?.namespace, subject?.name, path]);
    const before = this.seen.get(what) ?? 0;
    this.seen.set(what, before + 1);
    return createHash('sha256').update(`${what}${before}`).digest('hex').slice(0, 32);
  }
}
