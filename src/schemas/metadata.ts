import { isObject, stableJson } from '../fleet/json.js';
import { kindsOf, type KindOfFamily } from '../fleet/kinds.js';
import type { Path } from '../fleet/path.js';
import { plain, quoted } from '../fleet/quoted.js';
import { fillIn, hasVariable } from './placeholders.js';
import type { ShapeViolation } from './violation.js';

type Json = Readonly<Record<string, unknown>>;

const longestName = 253;
const longestLabel = 63;
const mostAnnotationBytes = 256 * 1024;

/** What the API server demands of the values in metadata (apimachinery, pkg/api/validation/objectmeta.go), types apart. */
export function metadataProblems(kind: KindOfFamily, json: Json): readonly ShapeViolation[] {
  const { metadata } = json;
  if (!isObject(metadata)) return [noName(kind)];
  return [
    ...nameProblems(kind, metadata),
    ...namespaceProblems(kind, metadata),
    ...labelProblems(metadata['labels']),
    ...annotationProblems(metadata['annotations']),
    ...finalizerProblems(metadata['finalizers']),
    ...ownerProblems(metadata['ownerReferences']),
    ...versionProblems(metadata),
    ...timeProblems(metadata),
  ];
}

function noName({ kind }: KindOfFamily): ShapeViolation {
  return {
    what: 'missing',
    path: ['metadata', 'name'],
    message: 'expected a string, found nothing',
    fix: `Give the ${kind} a name of lower-case letters, digits, "-" and ".".`,
  };
}

function nameProblems(kind: KindOfFamily, { name, generateName }: Json): readonly ShapeViolation[] {
  if (!isText(name) && !isText(generateName)) return [noName(kind)];
  if (!isText(name)) return isText(generateName) ? nameProblem('generateName', generateName) : [];
  return [
    ...nameProblem('name', name),
    ...(isText(generateName) ? nameProblem('generateName', generateName) : []),
  ];
}

function nameProblem(field: 'name' | 'generateName', text: string): readonly ShapeViolation[] {
  // The API server adds letters of its own to a prefix, so it may end in a dash.
  const whole = field === 'name' ? text : text.replace(/-$/, 'a');
  if (isSubdomain(whole)) return [];
  const message =
    text.length > longestName
      ? `is ${String(text.length)} characters long; a name has at most ${String(longestName)}`
      : `${quoted(text)} is no name of an object: lower-case letters, digits, "-" and ".", a letter or digit at either end`;
  const right = subdomainOf(text);
  const path = ['metadata', field];
  if (hasVariable(text)) return [{ what: 'name', path, message, fix: fillIn }];
  if (right === '') return [{ what: 'name', path, message, fix: 'Write such a name.' }];
  return [{ what: 'name', path, message, fix: `Write ${field}: ${right}`, edit: { of: 'value', to: right } }];
}

/** The nearest name that the API takes. */
function subdomainOf(text: string): string {
  return text
    .slice(0, longestName)
    .toLowerCase()
    .replaceAll(/[^-.a-z0-9]/g, '-')
    .split('.')
    .map((part) => part.replaceAll(/^-+|-+$/g, ''))
    .filter((part) => part !== '')
    .join('.');
}

function namespaceProblems(kind: KindOfFamily, { namespace }: Json): readonly ShapeViolation[] {
  if (!isText(namespace)) return [];
  const path = ['metadata', 'namespace'];
  if (kind.namespaced) {
    if (isLabelName(namespace)) return [];
    const message = `${quoted(namespace)} is no name of a namespace: lower-case letters, digits and "-", at most 63`;
    return [{ what: 'name', path, message, fix: 'Write the name of a namespace of the hub.' }];
  }
  const twin = kindsOf(kind.family).find(({ namespaced }) => namespaced);
  const instead = twin === undefined ? '' : `, or write kind: ${twin.kind} for an object of this namespace`;
  return [
    {
      what: 'scope',
      path,
      message: `a ${kind.kind} belongs to no namespace, and the API server drops ${quoted(namespace)}`,
      fix: `Remove the namespace${instead}. Where kustomize has added it, keep this kind out of its namespace transformer.`,
    },
  ];
}

function labelProblems(labels: unknown): readonly ShapeViolation[] {
  return entriesOf(labels).flatMap(([key, value]): readonly ShapeViolation[] => {
    const path = ['metadata', 'labels', key];
    if (!isQualified(key)) return [badKey(path, key, 'a label')];
    if (!isText(value) || isLabelValue(value)) return [];
    const message = `${quoted(value)} is no value of a label: letters, digits, "-", "_" and ".", at most ${String(longestLabel)}`;
    return [{ what: 'value', path, message, fix: 'Write such a value, or make it an annotation.' }];
  });
}

function annotationProblems(annotations: unknown): readonly ShapeViolation[] {
  const entries = entriesOf(annotations);
  const bytes = entries.reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + sizeOf(value), 0);
  const path = ['metadata', 'annotations'];
  const bad = entries.filter(([key]) => !isQualified(key.toLowerCase()));
  const keys = bad.map(([key]) => badKey([...path, key], key, 'an annotation'));
  if (bytes <= mostAnnotationBytes) return keys;
  const message = `are ${String(bytes)} bytes long; the API takes at most ${String(mostAnnotationBytes)}`;
  return [...keys, { what: 'value', path, message, fix: 'Remove what is not needed.' }];
}

function sizeOf(value: unknown): number {
  return typeof value === 'string' ? Buffer.byteLength(value) : 0;
}

function finalizerProblems(finalizers: unknown): readonly ShapeViolation[] {
  // Go reads null as an empty string.
  return itemsOf(finalizers).flatMap((item, index) => {
    const name = item ?? '';
    if (typeof name !== 'string' || isQualified(name)) return [];
    return [badKey(['metadata', 'finalizers', index], name, 'a finalizer')];
  });
}

function badKey(path: Path, key: string, what: string): ShapeViolation {
  return {
    what: 'name',
    path,
    message: `${quoted(key)} is no name of ${what}`,
    fix: 'Write letters, digits, "-", "_" and ".", at most 63, after a domain and a slash if you like: example.com/name.',
  };
}

const ownerFields = ['apiVersion', 'kind', 'name', 'uid'];

function ownerProblems(owners: unknown): readonly ShapeViolation[] {
  const all = itemsOf(owners).map((owner) => (isObject(owner) ? owner : {}));
  const lacking = all.flatMap((owner, index) =>
    ownerFields
      .filter((field) => !isText(owner[field]))
      .map((field): ShapeViolation => ({
        what: 'value',
        path: ['metadata', 'ownerReferences', index, field],
        message: 'is needed to tell the owner',
        fix: `Set ${plain(field)}, or remove the reference.`,
      })),
  );
  // The API server takes one that is there twice as one (apiserver, pkg/endpoints/handlers/create.go dedupOwnerReferences).
  const managers = new Set(all.filter(({ controller }) => controller === true).map(stableJson)).size;
  if (managers < 2) return lacking;
  const path = ['metadata', 'ownerReferences'];
  const message = `${String(managers)} of the owners are the controller; the API takes one`;
  return [...lacking, { what: 'value', path, message, fix: 'Leave controller: true to one of them.' }];
}

/** An object that was read from a hub has a uid as well, and may be there still; then it is right. */
function versionProblems({ resourceVersion, uid }: Json): readonly ShapeViolation[] {
  if (!isText(resourceVersion) || isText(uid)) return [];
  return [
    {
      what: 'value',
      path: ['metadata', 'resourceVersion'],
      message: 'is of one moment of a stored object; nothing can be created with it',
      fix: 'Remove it.',
    },
  ];
}

/** What the API server sets itself has to be readable all the same. */
function timeProblems(metadata: Json): readonly ShapeViolation[] {
  return ['creationTimestamp', 'deletionTimestamp'].flatMap((field): readonly ShapeViolation[] => {
    const time = metadata[field];
    if (typeof time !== 'string' || isTime(time)) return [];
    const message = `${quoted(time)} is no time as the API writes it: 2026-01-02T03:04:05Z`;
    return [{ what: 'value', path: ['metadata', field], message, fix: `Remove ${field}; the API server sets it.` }];
  });
}

function isTime(text: string): boolean {
  const isWellFormed = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/.test(text);
  return isWellFormed && !Number.isNaN(Date.parse(text));
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function entriesOf(value: unknown): readonly [string, unknown][] {
  return isObject(value) ? Object.entries(value) : [];
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isLabelName(text: string): boolean {
  return text.length <= longestLabel && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text);
}

function isSubdomain(text: string): boolean {
  return text.length <= longestName && text.split('.').every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part));
}

function isLabelValue(text: string): boolean {
  return text.length <= longestLabel && /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(text);
}

/** `name` or `domain/name`, as labels, annotations and finalizers have it. */
function isQualified(key: string): boolean {
  const [name = '', domain, ...rest] = key.split('/').reverse();
  if (rest.length > 0 || (domain !== undefined && !isSubdomain(domain))) return false;
  return isLabelValue(name);
}
