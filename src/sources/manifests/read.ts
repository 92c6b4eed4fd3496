import { misnamedKind } from '../../fleet/misnamed-kind.js';
import { findFiles, largestFile, readBytes, readText, textOf, type FoundFiles, type ManifestProblem } from './files.js';
import { diskReader, type FileReader } from './file-reader.js';
import { mentionsObjects, reasons, type PassedOver, type Reason, type Selection } from './passing-over.js';
import type { Namespace } from './namespace.js';
import type { Suppression } from './suppressions.js';
import { parseManifests, type ManifestDocument, type Parsed } from './parse.js';

/** What reading needs of the world; each has a default. */
export interface ManifestIo {
  readonly reader?: FileReader;
  /** All of standard input, asked for by the path `-`. */
  readonly stdin?: () => Promise<Uint8Array>;
  /** Called before each file is read. */
  readonly onFile?: (done: number, total: number) => void;
  /** What is passed over below a folder; nothing, unless given. */
  readonly selection?: Selection;
  /** Whether it has taken as long as it may. */
  readonly isTimeUp?: () => boolean;
  /** The namespace of what names none. */
  readonly namespace?: Namespace | undefined;
}

/** All of it is kept until it is judged, and takes some five times as much memory as it is long. */
const largestWhole = 2 * largestFile;

export interface Manifests {
  /** In the order of the paths, then of the file names, then of the files. */
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly ManifestProblem[];
  readonly files: number;
  /** How many of the documents are of kinds that nobody here judges. */
  readonly passedOver: number;
  /** What below the folders was not read, or holds nothing of ours. */
  readonly filesPassedOver: PassedOver;
  readonly suppressions: readonly Suppression[];
  readonly namespace?: Namespace | undefined;
}

/** The path that stands for standard input, and what it is called in messages. */
const stdinPath = '-';
export const stdinName = '<stdin>';

/** Reads files, folders with all below them, and standard input; what cannot be read is told and does not stop the rest. */
export async function readManifests(paths: readonly string[], io: ManifestIo = {}): Promise<Manifests> {
  const reader = io.reader ?? diskReader;
  const found = await Promise.all([...new Set(paths)].map((path) => find(path, reader, io)));
  const total = found.reduce((sum, { files }) => sum + files.length, 0);
  const reading: Reading = { reader, io, total, seen: new Set(), size: 0 };
  const parts: ReadPart[] = [];
  for (const { path, files, problems, passedOver } of found) {
    const fresh = files.filter((file) => !reading.seen.has(file));
    const mine = [{ documents: [], problems, passedOver }, ...(await readFresh(path, fresh, reading))];
    parts.push(...mine);
    if (files.length === fresh.length && mine.every(isEmpty)) parts.push(nothingIn(path, files));
  }
  return { ...summary(parts, reading.seen.size), namespace: io.namespace };
}

interface Reading {
  readonly reader: FileReader;
  readonly io: ManifestIo;
  readonly total: number;
  readonly seen: Set<string>;
  /** Of the texts so far. */
  size: number;
}

/** Reads the files that a path leads to and that were not read yet, until there is too much of them. */
async function readFresh(path: string, files: readonly string[], reading: Reading): Promise<readonly ReadPart[]> {
  const { reader, io, seen, total } = reading;
  const parts: ReadPart[] = [];
  for (const file of files) {
    const excess = excessOf(reading.size, io);
    if (excess !== undefined) return [...parts, { documents: [], problems: [{ file, message: excess }] }];
    io.onFile?.(seen.size, total);
    seen.add(file);
    const isFound = file !== path && io.selection !== undefined;
    const part = await (isFound ? readFound(file, reader) : readFile(file, reader, io));
    reading.size += part.size ?? 0;
    parts.push(part);
  }
  return parts;
}

/** What texts hold that are at hand, each with the name it is told by. */
export function manifestsIn(texts: readonly { readonly file: string; readonly text: string }[]): Manifests {
  return summary(
    texts.map(({ file, text }) => parseManifests(file, text)),
    texts.length,
  );
}

interface ReadPart extends Parsed {
  readonly passedOver?: PassedOver;
  /** Of the text that it holds, where it holds something of ours. */
  readonly size?: number;
}

/** Why nothing more is read. */
function excessOf(size: number, { isTimeUp }: ManifestIo): string | undefined {
  const instead = 'check a part of them at a time';
  if (size > largestWhole) {
    return `is not read, and nothing after it: the files before it are larger than ${String(largestWhole / 1024 / 1024)} MiB; ${instead}`;
  }
  return isTimeUp?.() === true
    ? `is not read, and nothing after it: the files before it took too long; ${instead}`
    : undefined;
}

async function find(
  path: string,
  reader: FileReader,
  { selection }: ManifestIo,
): Promise<FoundFiles & { path: string }> {
  if (path === stdinPath) return { path, files: [path], problems: [], passedOver: {} };
  return { path, ...(await findFiles(path, reader, selection)) };
}

async function readFile(file: string, reader: FileReader, io: ManifestIo): Promise<ReadPart> {
  const name = file === stdinPath ? stdinName : file;
  const content =
    file === stdinPath ? textOf(name, (await io.stdin?.()) ?? new Uint8Array()) : await readText(file, reader);
  if ('problem' in content) return { documents: [], problems: [content.problem] };
  return { ...parseManifests(name, content.text), size: content.text.length };
}

const foreign: ReadPart = { documents: [], problems: [], passedOver: { withoutObjects: 1 } };

/** A file that nobody has named: most of a repository is none of our business, and not all of it is sound YAML. */
async function readFound(file: string, reader: FileReader): Promise<ReadPart> {
  const bytes = await readBytes(file, reader);
  if ('problem' in bytes) return { documents: [], problems: [bytes.problem] };
  const mentions = mentionsObjects(bytes.bytes);
  if (mentions === 'not') return foreign;
  const content = textOf(file, bytes.bytes);
  const parsed: Parsed =
    'problem' in content ? { documents: [], problems: [content.problem] } : parseManifests(file, content.text);
  if (mentions === 'hidden' && parsed.documents.every(({ kind }) => kind === undefined)) return foreign;
  const problems = parsed.problems.filter(({ isForeign }) => isForeign !== true);
  return parsed.documents.length + problems.length === 0 ? foreign : { ...parsed, problems, size: bytes.bytes.length };
}

function isEmpty({ documents, problems, hasEmptyList = false, passedOver = {} }: ReadPart): boolean {
  return documents.length === 0 && problems.length === 0 && !hasEmptyList && Object.keys(passedOver).length === 0;
}

/** Nothing to judge is not the same as no problems: an empty pipe must not pass for a clean one. */
function nothingIn(path: string, files: readonly string[]): Parsed {
  const file = path === stdinPath ? stdinName : path;
  const isFile = files.length === 1 && files[0] === path;
  const message = isFile ? 'is empty: it holds no object' : 'holds no manifests (.yaml, .yml or .json)';
  return { documents: [], problems: [{ file, message }] };
}

function summary(parts: readonly ReadPart[], files: number): Manifests {
  const documents = parts.flatMap((part) => part.documents);
  const number = (reason: Reason): number =>
    parts.reduce((sum, { passedOver }) => sum + (passedOver?.[reason] ?? 0), 0);
  const passed = reasons.map((reason) => [reason, number(reason)] as const).filter(([, many]) => many > 0);
  const filesPassedOver: PassedOver = Object.fromEntries(passed);
  return {
    documents,
    problems: parts.flatMap((part) => part.problems),
    files: files - (filesPassedOver.withoutObjects ?? 0),
    passedOver: documents.filter(({ kind, json }) => kind === undefined && !isMeantForUs(json)).length,
    filesPassedOver,
    suppressions: parts.flatMap((part) => part.suppressions ?? []),
  };
}

/** It is told as misnamed, and so it is not passed over. */
function isMeantForUs({ apiVersion, kind }: ManifestDocument['json']): boolean {
  return misnamedKind(apiVersion, kind) !== undefined;
}
