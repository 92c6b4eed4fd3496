import { fieldOf, sameJson } from '../fleet/json.js';
import { splitApiVersion, type KindOfFamily } from '../fleet/kinds.js';
import type { Path } from '../fleet/path.js';
import { plain } from '../fleet/quoted.js';
import { brokenRules } from './cel-rules.js';
import { schemaOf } from './index.js';
import { metadataProblems } from './metadata.js';
import { withoutNulls } from './nulls.js';
import { structureProblems } from './structure.js';
import type { ShapeViolation } from './violation.js';

type Json = Readonly<Record<string, unknown>>;

/** A manifest as the API server takes it, and all that it would hold against it. */
export interface Shape {
  readonly json: Json;
  readonly violations: readonly ShapeViolation[];
}

/**
 * All that the API server holds against creating an object by its shape alone. Nothing here is said at a webhook: there
 * the API server has said it before.
 */
export function shapeOf(kind: KindOfFamily, written: Json): Shape {
  const { version } = splitApiVersion(String(written['apiVersion']));
  const { value, dropped } = withoutNulls(schemaOf(kind, version), written);
  const json = value as Json;
  const structure = structureProblems(kind, json);
  const isReadable = structure.every(({ path }) => path[0] !== 'metadata');
  const all = [...structure, ...(isReadable ? metadataProblems(kind, json) : [])];
  // As with the API server, rules between fields are asked of what is sound in itself.
  const violations = all.length > 0 ? all : ruleProblems(kind, json);
  const isMissed = (path: Path): boolean => violations.some((one) => one.what === 'missing' && sameJson(one.path, path));
  const empty = dropped.filter((path) => path[0] !== 'status' && !isMissed(path)).map(emptyField);
  return { json, violations: [...violations, ...empty] };
}

function emptyField(path: Path): ShapeViolation {
  const field = plain(String(path.at(-1)));
  const message = 'is empty (null), and the API server drops it as if it had not been written';
  return { what: 'empty', path, message, fix: `Remove ${field}, or write what it is to hold.` };
}

function ruleProblems(kind: KindOfFamily, json: Json): readonly ShapeViolation[] {
  const { version } = splitApiVersion(String(json['apiVersion']));
  const created = Object.fromEntries(Object.entries(json).filter(([field]) => field !== 'status'));
  const named = { ...created, metadata: withName(json['metadata']) };
  return brokenRules(schemaOf(kind, version), named).map(({ path, message }) =>
    path.length === 0 ? nameTooLong(message) : brokenRule(path, message),
  );
}

/** The API server makes up a name that is never too long (apiserver, pkg/storage/names/generate.go). */
function withName(metadata: unknown): unknown {
  const generated = fieldOf(metadata, 'generateName');
  const isNamed = typeof fieldOf(metadata, 'name') === 'string' || typeof generated !== 'string';
  return isNamed ? metadata : { ...(metadata as Json), name: `${generated.slice(0, 58)}12345` };
}

/** The one rule about a whole object. */
function nameTooLong(message: string): ShapeViolation {
  const longest = /[0-9]+$/.exec(message)?.[0] ?? '63';
  return {
    what: 'name',
    path: ['metadata', 'name'],
    message: `is too long: names of this kind have at most ${longest} characters`,
    fix: `Shorten it to ${longest} characters.`,
  };
}

function brokenRule(path: Path, message: string): ShapeViolation {
  return { what: 'value', path, message: `the API refuses it: ${message}`, fix: 'Change it as the API demands.' };
}
