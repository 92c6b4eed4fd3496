import type { Document } from 'yaml';
import { isObject } from '../../fleet/json.js';
import { kindOf, type KindOfFamily } from '../../fleet/kinds.js';
import { misnamedKind } from '../../fleet/misnamed-kind.js';
import type { Path } from '../../fleet/path.js';
import { quoted } from '../../fleet/quoted.js';
import type { ManifestProblem } from './files.js';
import { Places, type Location, type Way } from './places.js';
import { suppressionsIn, type Suppression } from './suppressions.js';
import { valuesOf, type JsonValue } from './json-stream.js';
import { Excess, isTooDeep, jsonOf, largestYaml, readDocuments, tooDeep } from './yaml.js';
import { errorIn, yamlFix, yamlMessage } from './yaml-errors.js';

/** One object of a file. */
export interface ManifestDocument {
  readonly file: string;
  /** As written, nothing filled in. */
  readonly json: Readonly<Record<string, unknown>>;
  /** Undefined for kinds of others, which nobody here judges. */
  readonly kind: KindOfFamily | undefined;
  /** Where a field stands, or what of it is there: the nearest field around it. */
  locate(path: Path): Location;
  /** The way to a field through the text, as far as it is there. */
  readonly walk: (path: Path) => Way | undefined;
}

export interface Parsed {
  readonly documents: readonly ManifestDocument[];
  /** Set where a list says that there is nothing: that is something to go by. */
  readonly hasEmptyList?: boolean;
  readonly problems: readonly ManifestProblem[];
  /** What comments say is not to be told. */
  readonly suppressions?: readonly Suppression[];
}

const tooLarge = `is larger than ${String(largestYaml / 1024 / 1024)} MiB of YAML; split it, or save it as JSON`;

/** Every object of a text: YAML documents or JSON, with lists taken apart. */
export function parseManifests(file: string, text: string): Parsed {
  const values = valuesOf(text);
  if (values !== undefined) return joined(values.map((value) => fromValue(file, value)));
  if (text.length > largestYaml) return { documents: [], problems: [{ file, message: tooLarge }] };
  const places = new Places(text, false);
  const parsed: Parsed[] = [];
  try {
    for (const document of readDocuments(text, places.lines)) {
      parsed.push(fromDocument(document, { file, places, index: parsed.length }));
    }
  } catch (error) {
    if (!(error instanceof Excess)) throw error;
    parsed.push(failed(file, error.message, places.at(error.offset)));
  }
  return { ...joined(parsed), suppressions: suppressionsIn(file, text) };
}

/** Dumps of a whole hub come as JSON, which is read a hundred times faster as such than as the YAML it also is. */
function fromValue(file: string, { json, text, start }: JsonValue): Parsed {
  const places = new Places(text, true, start);
  return fromContent(isTooDeep(json) ? { message: tooDeep } : { json }, { file, places, index: 0 });
}

function joined(parts: readonly Parsed[]): Parsed {
  return {
    documents: parts.flatMap(({ documents }) => documents),
    problems: parts.flatMap(({ problems }) => problems),
    hasEmptyList: parts.some(({ hasEmptyList }) => hasEmptyList),
  };
}

interface Origin {
  readonly file: string;
  readonly places: Places;
  /** Which of the documents of the file it is. */
  readonly index: number;
}

function fromDocument(document: Document.Parsed, origin: Origin): Parsed {
  const error = errorIn(document, origin.places.text);
  if (error !== undefined) {
    const fix = yamlFix(error, origin.places.text);
    return failed(origin.file, yamlMessage(error), {
      ...origin.places.at(error.pos[0]),
      ...(fix !== undefined && { fix }),
    });
  }
  return fromContent(jsonOf(document), origin);
}

function fromContent(content: ReturnType<typeof jsonOf>, origin: Origin): Parsed {
  const { file, places, index } = origin;
  if ('message' in content) return failed(file, content.message, places.locate(index, []));
  const { json } = content;
  if (json === null || json === undefined) return { documents: [], problems: [] };
  return fromJson({ json, path: [], defaults: {} }, origin);
}

function failed(file: string, message: string, where: Location & Pick<ManifestProblem, 'fix'>): Parsed {
  return { documents: [], problems: [{ file, ...where, message }] };
}

/** What nobody meant to be an object. */
function foreign(file: string, message: string, where: Location): Parsed {
  return { documents: [], problems: [{ file, ...where, message, isForeign: true }] };
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
  const { places, index } = origin;
  const locate = (below: Path): Location => places.locate(index, [...path, ...below]);
  const walk: ManifestDocument['walk'] = (below) => places.walk(index, [...path, ...below]);
  if (!isObject(json)) return foreign(file, 'is not a Kubernetes object: it has no apiVersion and kind', locate([]));
  const whole = { ...defaults, ...json };
  const { apiVersion, kind } = whole;
  if (!isText(apiVersion) || !isText(kind)) return unnamed(whole, file, locate([]));
  if (Array.isArray(json.items) && kind.endsWith('List')) {
    if (json.items.length === 0) return { documents: [], problems: [], hasEmptyList: true };
    const typed = kind === 'List' ? {} : { apiVersion, kind: kind.slice(0, -'List'.length) };
    return joined(
      json.items.map((item, at) => fromJson({ json: item, path: [...path, 'items', at], defaults: typed }, origin)),
    );
  }
  return { documents: [{ file, json: whole, kind: kindOf(apiVersion, kind), locate, walk }], problems: [] };
}

/** An object that does not say of which kind it is. */
function unnamed(whole: Readonly<Record<string, unknown>>, file: string, where: Location): Parsed {
  const misnamed = misnamedKind(whole['apiVersion'], whole['kind']);
  if (misnamed !== undefined) {
    const { message, fix } = misspelledIn(whole) ?? misnamed;
    return { documents: [], problems: [{ file, ...where, message, fix }] };
  }
  if (isKustomization(file)) return { documents: [], problems: [] };
  const missing = ['apiVersion', 'kind'].filter((name) => !isText(whole[name]));
  return foreign(file, `is not a Kubernetes object: it has no ${missing.join(' and no ')}`, where);
}

/** `Kind`, `apiversion`: the API tells large letters from small ones. */
function misspelledIn(
  whole: Readonly<Record<string, unknown>>,
): { readonly message: string; readonly fix: string } | undefined {
  const slips = ['apiVersion', 'kind'].flatMap((name) => {
    const slip = Object.keys(whole).find((key) => key !== name && key.toLowerCase() === name.toLowerCase());
    return slip === undefined ? [] : [{ name, slip }];
  });
  const [first] = slips;
  if (first === undefined) return undefined;
  const message = slips.map(
    ({ name, slip }) => `${quoted(slip)} is not a field of the API; did you mean ${quoted(name)}?`,
  );
  return { message: message.join(' '), fix: `Write ${slips.map(({ name }) => name).join(' and ')}.` };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

/** The one file beside manifests that may leave out its kind (kustomize fills it in). */
function isKustomization(file: string): boolean {
  return /(?:^|[\\/])kustomization\.ya?ml$/i.test(file);
}
