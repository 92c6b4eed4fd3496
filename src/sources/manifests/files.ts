import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe } from '../../errors.js';

/** What of a file system is needed to read manifests. */
export interface FileReader {
  /** Follows symbolic links. */
  stat(path: string): Promise<{ readonly kind: 'file' | 'folder' | 'other'; readonly size: number }>;
  /** The names in a folder. */
  list(folder: string): Promise<readonly string[]>;
  /** One name for all the paths that lead to the same place. */
  real(path: string): Promise<string>;
  /** The first bytes of a file, at most `limit`. */
  read(path: string, limit: number): Promise<Uint8Array>;
}

export const diskReader: FileReader = {
  async stat(path) {
    const found = await stat(path);
    const kind = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other';
    return { kind, size: found.size };
  },
  list: (folder) => readdir(folder),
  real: (path) => realpath(path),
  async read(path, limit) {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { end: limit - 1 })) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
};

/** A dump of a hub with 25,000 bindings is some 50 MB of JSON. */
export const largestFile = 64 * 1024 * 1024;

/** Something that keeps a manifest, or a part of one, from being read. */
export interface ManifestProblem {
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  readonly message: string;
}

/** The file that a path names, or every manifest below the folder it names, in the order of their paths. */
export async function findFiles(
  path: string,
  reader: FileReader,
): Promise<{ files: readonly string[]; problems: readonly ManifestProblem[] }> {
  const found: Found = { files: [], problems: [], seen: new Set() };
  await visit(path, { reader, found, isNamed: true });
  return found;
}

interface Found {
  readonly files: string[];
  readonly problems: ManifestProblem[];
  /** Real paths, so that symbolic links in a circle come to an end. */
  readonly seen: Set<string>;
}

interface Visit {
  readonly reader: FileReader;
  readonly found: Found;
  /** True for what the user named, false for what was met in a folder. */
  readonly isNamed: boolean;
}

async function visit(path: string, { reader, found, isNamed }: Visit): Promise<void> {
  try {
    const { kind } = await reader.stat(path);
    if (kind !== 'folder') {
      if (isNamed || (kind === 'file' && isManifestName(path))) found.files.push(path);
      return;
    }
    const real = await reader.real(path);
    if (found.seen.has(real)) return;
    found.seen.add(real);
    // Names that begin with a dot are not the user's manifests: .git, .github, and the ..data of a mounted ConfigMap.
    const names = (await reader.list(path)).filter((name) => !name.startsWith('.'));
    for (const name of [...names].sort()) await visit(join(path, name), { reader, found, isNamed: false });
  } catch (error) {
    // A dangling link in a folder that is no manifest by its name is none of our business.
    if (isNamed || isManifestName(path)) found.problems.push({ file: path, message: whyUnreadable(error) });
  }
}

function isManifestName(path: string): boolean {
  return /\.(?:ya?ml|json)$/i.test(path);
}

/** The text of a file, or why there is none. */
export async function readText(
  path: string,
  reader: FileReader,
): Promise<{ readonly text: string } | { readonly problem: ManifestProblem }> {
  try {
    return textOf(path, await reader.read(path, largestFile + 1));
  } catch (error) {
    return { problem: { file: path, message: whyUnreadable(error) } };
  }
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
