import { basename, dirname, join, relative, sep } from 'node:path';
import { kinds } from '../../fleet/kinds.js';
import { IgnorePatterns, longestPatternFile } from './ignore-patterns.js';
import type { FileReader } from './file-reader.js';
import { patchFilesOf } from './kustomization.js';

/** Why something below a folder is not read; a folder counts once. */
export const reasons = ['withoutObjects', 'ignored', 'excluded', 'templates', 'patches', 'packages'] as const;
export type Reason = (typeof reasons)[number];

/** How much was passed over, by reason. */
export type PassedOver = Readonly<Partial<Record<Reason, number>>>;

/** What a user leaves out beside what is left out by itself. */
export interface Selection {
  /** As in a .gitignore of the folder that is given. */
  readonly exclude: readonly string[];
  /** Whether .gitignore files say what is left out. */
  readonly gitignore: boolean;
}

/** A folder on the way, and what is known of what it holds. */
export class Surroundings {
  private constructor(private readonly known: Known) {}

  /** What holds in a folder that the user has named. */
  static async of(root: string, selection: Selection, reader: FileReader): Promise<Surroundings> {
    const above = selection.gitignore ? await rulesAbove(root, reader) : [];
    // Who names a folder wants it judged, though it be ignored, as the output of a build is.
    const isNamedAnyway = above.some(({ folder, patterns }) => isIgnored(patterns, namesBelow(folder, root)));
    const own = { reason: 'excluded', folder: root, patterns: new IgnorePatterns(selection.exclude) } as const;
    const rules = [own, ...(isNamedAnyway ? [] : above)];
    return new Surroundings({ selection, rules, folder: root, names: [], patches: [] });
  }

  /** What holds for all that a folder holds. */
  async inside({ real, names }: Inside, reader: FileReader): Promise<Surroundings> {
    const isRead = this.known.selection.gitignore && names.includes(gitignore);
    const patterns = isRead ? await readPatterns(real, reader) : undefined;
    const more = patterns === undefined ? [] : [{ reason: 'ignored', folder: real, patterns } as const];
    const patches = [...this.known.patches, ...(await patchFilesOf({ real, names }, reader))];
    return new Surroundings({ ...this.known, folder: real, rules: [...this.known.rules, ...more], names, patches });
  }

  /** Why something is passed over; undefined where it is not. */
  reasonFor(path: string, isFolder: boolean): Reason | undefined {
    const { folder, names, rules, patches } = this.known;
    const name = basename(path);
    if (isFolder && name === 'node_modules') return 'packages';
    if (isFolder && name === 'templates' && names.includes('Chart.yaml')) return 'templates';
    const spoken = (reason: Rules['reason']): boolean =>
      rules
        .filter((rule) => rule.reason === reason)
        .map(({ folder: from, patterns }) => patterns.ignores(namesBelow(from, join(folder, name)), isFolder))
        .findLast((answer) => answer !== undefined) ?? false;
    const reason = (['excluded', 'ignored'] as const).find(spoken);
    return reason ?? (patches.includes(join(folder, name)) ? 'patches' : undefined);
  }
}

interface Known {
  readonly selection: Selection;
  /** The patterns of the user, and those of .gitignore files, the nearest last. */
  readonly rules: readonly Rules[];
  /** The real path of the folder, and all that stands in it. */
  readonly folder: string;
  readonly names: readonly string[];
  /** The files here and below that kustomize applies to objects of other files. */
  readonly patches: readonly string[];
}

interface Inside {
  readonly real: string;
  readonly names: readonly string[];
}

function namesBelow(folder: string, path: string): readonly string[] {
  return relative(folder, path).split(sep);
}

const gitignore = '.gitignore';

interface Rules {
  readonly reason: 'ignored' | 'excluded';
  /** Its real path. */
  readonly folder: string;
  readonly patterns: IgnorePatterns;
}

/** Of the folders around, up to the top of the repository; none where there is no repository. */
async function rulesAbove(root: string, reader: FileReader): Promise<readonly Rules[]> {
  const found: Rules[] = [];
  for (let folder = root; ; folder = dirname(folder)) {
    if (folder !== root) {
      const patterns = await readPatterns(folder, reader);
      if (patterns !== undefined) found.unshift({ reason: 'ignored', folder, patterns });
    }
    if (await isThere(join(folder, '.git'), reader)) return found;
    if (dirname(folder) === folder) return [];
  }
}

async function isThere(path: string, reader: FileReader): Promise<boolean> {
  try {
    await reader.stat(path);
    return true;
  } catch {
    // Absent, or not for us to see: either way no repository of ours begins here.
    return false;
  }
}

async function readPatterns(folder: string, reader: FileReader): Promise<IgnorePatterns | undefined> {
  const file = join(folder, gitignore);
  try {
    // Git follows no link here, and a pipe would never end.
    if ((await reader.real(file)) !== file || (await reader.stat(file)).kind !== 'file') return undefined;
    const bytes = await reader.read(file, longestPatternFile);
    return new IgnorePatterns(new TextDecoder().decode(bytes).split('\n'));
  } catch {
    // What cannot be read leaves nothing out.
    return undefined;
  }
}

function isIgnored(patterns: IgnorePatterns, names: readonly string[]): boolean {
  return names.some((_, index) => patterns.ignores(names.slice(0, index + 1), true) === true);
}

/** What stands in every manifest of ours, and in those that are meant to be one. */
const marks = new RegExp(
  // The second for kinds whose end is misspelled.
  ['kubernetes-fleet', 'StagedUpdate', ...new Set(kinds.map(({ kind }) => kind.replace(/^Cluster(?=.)/, '')))].join(
    '|',
  ),
  'i',
);

/** Ways of YAML and JSON to write a letter without showing it. */
const escapes = /\\(?:[xuU][0-9A-Fa-f]|\r?\n)/;

/** Whether a file may hold objects of ours: `hidden` where only what is escaped can be one. */
export function mentionsObjects(bytes: Uint8Array): 'plainly' | 'hidden' | 'not' {
  const text = decoded(bytes);
  if (marks.test(text)) return 'plainly';
  return escapes.test(text) ? 'hidden' : 'not';
}

/** However it is encoded: what cannot be read is told only where it may be ours. */
function decoded(bytes: Uint8Array): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
