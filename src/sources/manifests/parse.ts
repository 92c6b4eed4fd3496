import { isAlias, isMap, isScalar, isSeq, LineCounter, type Document, type ParsedNode } from 'yaml';
import { isObject } from '../../fleet/json.js';
import { kindOf, type KindOfFamily } from '../../fleet/kinds.js';
import type { Path } from '../../fleet/path.js';
import type { ManifestProblem } from './files.js';
import { isTooDeep, jsonOf, readDocuments, tooDeep, yamlMessage } from './yaml.js';

/** A place in a file; lines and columns count from 1. */
export interface Location {
  readonly line: number;
  readonly column: number;
}

/** One object of a file. */
export interface ManifestDocument {
  readonly file: string;
  /** As written, nothing filled in. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Undefined for kinds of others, which nobody here judges. */
  readonly kind: KindOfFamily | undefined;
  /** Where a field stands, or what of it is there: the nearest field around it. */
  locate(path: Path): Location;
}

export interface Parsed {
  readonly documents: readonly ManifestDocument[];
  readonly problems: readonly ManifestProblem[];
}

/** Every object of a text: YAML documents or JSON, with lists taken apart. */
export function parseManifests(file: string, text: string): Parsed {
  const lines = new LineCounter();
  const { documents, tooDeepAt } = readDocuments(text, lines);
  const parsed = documents.map((document) => fromDocument({ file, document, lines }));
  if (tooDeepAt !== undefined) parsed.push(failed(file, tooDeep, place(lines, tooDeepAt)));
  return joined(parsed);
}

function joined(parts: readonly Parsed[]): Parsed {
  return {
    documents: parts.flatMap(({ documents }) => documents),
    problems: parts.flatMap(({ problems }) => problems),
  };
}

interface Origin {
  readonly file: string;
  readonly document: Document.Parsed;
  readonly lines: LineCounter;
}

function fromDocument(origin: Origin): Parsed {
  const { file, document, lines } = origin;
  const [fault] = document.errors;
  if (fault !== undefined) return failed(file, yamlMessage(fault), place(lines, fault.pos[0]));
  const start = place(lines, document.contents?.range[0] ?? document.range[0]);
  const content = jsonOf(document);
  if ('message' in content) return failed(file, content.message, start);
  const { json } = content;
  if (json === null || json === undefined) return { documents: [], problems: [] };
  if (isTooDeep(json)) return failed(file, tooDeep, start);
  return fromJson({ json, path: [], defaults: {} }, origin);
}

function failed(file: string, message: string, where: Location): Parsed {
  return { documents: [], problems: [{ file, ...where, message }] };
}

/** What may be an object, and where in its document it stands. */
interface Item {
  readonly json: unknown;
  readonly path: Path;
  /** The apiVersion and kind that a typed list (`ThingList`) gives its items. */
  readonly defaults: Readonly<Record<string, unknown>>;
}

function fromJson({ json, path, defaults }: Item, origin: Origin): Parsed {
  const { file } = origin;
  const locate = (below: Path): Location => locateIn(origin, [...path, ...below]);
  if (!isObject(json)) return failed(file, 'is not a Kubernetes object: it has no apiVersion and kind', locate([]));
  const whole = { ...defaults, ...json };
  const { apiVersion, kind } = whole;
  const missing = ['apiVersion', 'kind'].filter((name) => !isText(whole[name]));
  if (!isText(apiVersion) || !isText(kind)) {
    if (isKustomization(file)) return { documents: [], problems: [] };
    return failed(file, `is not a Kubernetes object: it has no ${missing.join(' and no ')}`, locate([]));
  }
  if (Array.isArray(json.items) && kind.endsWith('List')) {
    const typed = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    return joined(
      json.items.map((item, index) =>
        fromJson({ json: item, path: [...path, 'items', index], defaults: typed }, origin),
      ),
    );
  }
  return { documents: [{ file, json: whole, kind: kindOf(apiVersion, kind), locate }], problems: [] };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The one file beside manifests that may leave out its kind (kustomize fills it in). */
function isKustomization(file: string): boolean {
  return /(?:^|[\\/])kustomization\.ya?ml$/i.test(file);
}

function locateIn({ document, lines }: Origin, path: Path): Location {
  let node: unknown = document.contents;
  let offset = document.contents?.range[0] ?? 0;
  for (const step of path) {
    const next = childOf(isAlias(node) ? node.resolve(document) : node, step);
    if (next === undefined) break;
    offset = next.offset;
    node = next.value;
  }
  return place(lines, offset);
}

/** A field is where its key stands, an item of a list where it begins. */
function childOf(node: unknown, step: string | number): { offset: number; value: unknown } | undefined {
  if (isMap(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step));
    const range = pair === undefined ? undefined : (pair.key as ParsedNode).range;
    return range === undefined ? undefined : { offset: range[0], value: pair?.value };
  }
  if (!isSeq(node) || typeof step !== 'number') return undefined;
  const item = node.items[step] as ParsedNode | undefined;
  return item === undefined ? undefined : { offset: item.range[0], value: item };
}

function place(lines: LineCounter, offset: number): Location {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
