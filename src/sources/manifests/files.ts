import { join } from 'node:path';
import { describe } from '../../errors.js';
import { isLinkOutOfRepository, isWithin } from '../../repository.js';
import type { EditInText } from './places.js';
import type { FileKind, FileReader } from './file-reader.js';
import { Surroundings, type PassedOver, type Reason, type Selection } from './passing-over.js';

/** A dump of a hub with 25,000 bindings is some 50 MB of JSON. */
export const largestFile = 64 * 1024 * 1024;

/** Something that keeps a manifest, or a part of one, from being read. */
export interface ManifestProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
  /** What to do about it, where that can be told. */
  readonly fix?: string;
  /** The same in the text, where it can be told that surely. */
  readonly inText?: EditInText;
  /** It is no object at all, of ours or of others. */
  readonly isForeign?: true;
}

type Somewhere = Pick<ManifestProblem, 'file' | 'line' | 'column'>;

/** In the order of files, and within a file from top to bottom. */
export function byPlace(a: Somewhere, b: Somewhere): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}

/** What a path leads to. */
export interface FoundFiles {
  readonly files: readonly string[];
  readonly problems: readonly ManifestProblem[];
  readonly passedOver: PassedOver;
}

/**
 * The file that a path names, or every manifest below the folder it names, in the order of their paths. Without a
 * selection nothing is passed over: what describes a whole hub is to be read as a whole.
 */
export async function findFiles(path: string, reader: FileReader, selection?: Selection): Promise<FoundFiles> {
  const found: Found = { files: [], problems: [], seen: new Set(), passedOver: {} };
  await visit(path, { reader, found, ...(selection !== undefined && { selection }) });
  return found;
}

interface Found {
  readonly files: string[];
  readonly problems: ManifestProblem[];
  /** Real paths, so that symbolic links in a circle come to an end. */
  readonly seen: Set<string>;
  readonly passedOver: Partial<Record<Reason, number>>;
}

interface Visit {
  readonly reader: FileReader;
  readonly found: Found;
  /** The real path of the folder that the user named; absent for what the user named itself. */
  readonly root?: string;
  readonly selection?: Selection;
  /** What holds in the folder around; absent where nothing is passed over. */
  readonly around?: Surroundings;
}

async function visit(path: string, visiting: Visit): Promise<void> {
  const { reader, found, root } = visiting;
  const isWanted = root === undefined || isManifestName(path);
  try {
    const { kind } = await reader.stat(path);
    if (kind === 'folder' || isWanted) await take(path, kind, visiting);
  } catch (error) {
    // A dangling link in a folder that is no manifest by its name is none of our business.
    if (isWanted) found.problems.push({ file: path, message: whyUnreadable(error) });
  }
}

async function take(path: string, kind: FileKind, visiting: Visit): Promise<void> {
  const { reader, found, root, around } = visiting;
  const reason = around?.reasonFor(path, kind === 'folder');
  if (reason !== undefined) {
    found.passedOver[reason] = (found.passedOver[reason] ?? 0) + 1;
    return;
  }
  const real = await reader.real(path);
  const obstacle = kind === 'other' ? neitherFileNorFolder : leadOut({ path, real }, visiting);
  if (obstacle !== undefined) found.problems.push({ file: path, message: obstacle });
  else if (kind === 'file') found.files.push(path);
  else if (!found.seen.has(real)) await visitFolder(path, real, { ...visiting, root: root ?? real });
}

/** Why a link is not followed. */
function leadOut({ path, real }: Pick<Folder, 'path' | 'real'>, { reader, root }: Visit): string | undefined {
  if (root !== undefined) return isWithin(real, root) ? undefined : leadsOut;
  return isLinkOutOfRepository(path, reader.here()) ? leadsOutOfRepository : undefined;
}

async function visitFolder(path: string, real: string, visiting: Visit): Promise<void> {
  visiting.found.seen.add(real);
  // Names that begin with a dot are not the user's manifests: .git, .github, and the ..data of a mounted ConfigMap.
  const all = await visiting.reader.list(path);
  const names = all.filter((name) => !name.startsWith('.')).sort();
  const around = await surroundingsOf({ path, real, names: all }, visiting);
  for (const name of names) await visit(join(path, name), { ...visiting, ...(around !== undefined && { around }) });
}

interface Folder {
  readonly path: string;
  readonly real: string;
  readonly names: readonly string[];
}

async function surroundingsOf(folder: Folder, { around, selection, reader }: Visit): Promise<Surroundings | undefined> {
  if (selection === undefined) return undefined;
  const outer = around ?? (await Surroundings.of(folder.real, selection, reader));
  return outer.inside(folder, reader);
}

/** Opened, it could wait for a writer for ever. */
const neitherFileNorFolder = 'is neither a file nor a folder; what comes through a pipe is given as -';

const leadsOut = 'is not followed: this link leads out of the folder that was given; give its target as well';
const leadsOutOfRepository = 'is not followed: a link leads out of the repository; give its target instead';

function isManifestName(path: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(path);
}

/** The bytes of a file, or why there are none. */
export async function readBytes(
  path: string,
  reader: FileReader,
): Promise<{ readonly bytes: Uint8Array } | { readonly problem: ManifestProblem }> {
  try {
    return { bytes: await reader.read(path, largestFile + 1) };
  } catch (error) {
    return { problem: { file: path, message: whyUnreadable(error) } };
  }
}

/** The text of a file, or why there is none. */
export async function readText(path: string, reader: FileReader): Promise<ReturnType<typeof textOf>> {
  const read = await readBytes(path, reader);
  return 'problem' in read ? read : textOf(path, read.bytes);
}

/** The text that bytes hold, or why they hold none. */
export function textOf(
  file: string,
  bytes: Uint8Array,
): { readonly text: string } | { readonly problem: ManifestProblem } {
  if (bytes.length > largestFile) {
    return { problem: { file, message: `is larger than ${String(largestFile / 1024 / 1024)} MiB` } };
  }
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    if (!text.includes('\0')) return { text };
  } catch {
    // Not UTF-8: said below.
  }
  return { problem: { file, message: 'is not a text file in UTF-8' } };
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'does not exist',
  ENOTDIR: 'does not exist',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  ELOOP: 'cannot be read: its symbolic links go in a circle',
  EISDIR: 'cannot be read: it is a folder',
};

function whyUnreadable(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  return reasons[code ?? ''] ?? `cannot be read: ${describe(error)}`;
}
