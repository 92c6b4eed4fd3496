import { diskReader, findFiles, readText, textOf, type FileReader, type ManifestProblem } from './files.js';
import { parseManifests, type ManifestDocument, type Parsed } from './parse.js';

/** What reading needs of the world; each has a default. */
export interface ManifestIo {
  readonly reader?: FileReader;
  /** All of standard input, asked for by the path `-`. */
  readonly stdin?: () => Promise<Uint8Array>;
  /** Called before each file is read. */
  readonly onFile?: (done: number, total: number) => void;
}

export interface Manifests {
  /** In the order of the paths, then of the file names, then of the files. */
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly ManifestProblem[];
  readonly files: number;
  /** How many of the documents are of kinds that nobody here judges. */
  readonly passedOver: number;
}

/** The path that stands for standard input, and what it is called in messages. */
const stdinPath = '-';
const stdinName = '<stdin>';

/** Reads files, folders with all below them, and standard input; what cannot be read is told and does not stop the rest. */
export async function readManifests(paths: readonly string[], io: ManifestIo = {}): Promise<Manifests> {
  const reader = io.reader ?? diskReader;
  const found = await Promise.all(
    [...new Set(paths)].map(async (path) => ({
      path,
      ...(path === stdinPath ? { files: [path], problems: [] } : await findFiles(path, reader)),
    })),
  );
  const total = found.reduce((sum, { files }) => sum + files.length, 0);
  const seen = new Set<string>();
  const parts: Parsed[] = [];
  for (const { path, files, problems } of found) {
    parts.push({ documents: [], problems });
    const fresh = files.filter((file) => !seen.has(file));
    for (const file of fresh) {
      io.onFile?.(seen.size, total);
      seen.add(file);
      parts.push(await readFile(file, reader, io));
    }
    const mine = parts.slice(-fresh.length - 1);
    if (files.length === fresh.length && mine.every(isEmpty)) parts.push(nothingIn(path));
  }
  return summary(parts, seen.size);
}

async function readFile(file: string, reader: FileReader, io: ManifestIo): Promise<Parsed> {
  const name = file === stdinPath ? stdinName : file;
  const content =
    file === stdinPath ? textOf(name, (await io.stdin?.()) ?? new Uint8Array()) : await readText(file, reader);
  if ('problem' in content) return { documents: [], problems: [content.problem] };
  return parseManifests(name, content.text);
}

function isEmpty({ documents, problems }: Parsed): boolean {
  return documents.length === 0 && problems.length === 0;
}

/** Nothing to judge is not the same as nothing to object to: an empty pipe must not pass for a clean one. */
function nothingIn(path: string): Parsed {
  const file = path === stdinPath ? stdinName : path;
  return { documents: [], problems: [{ file, message: 'holds no manifests (.yaml, .yml or .json)' }] };
}

function summary(parts: readonly Parsed[], files: number): Manifests {
  const documents = parts.flatMap((part) => part.documents);
  return {
    documents,
    problems: parts.flatMap((part) => part.problems),
    files,
    passedOver: documents.filter(({ kind }) => kind === undefined).length,
  };
}
