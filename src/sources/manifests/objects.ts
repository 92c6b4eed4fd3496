import { decode } from '../../fleet/decode.js';
import { IndexedFleet } from '../../fleet/indexed-fleet.js';
import { fieldOf, isObject, sameJson, type ShapeProblem } from '../../fleet/json.js';
import type { Family, KindOfFamily } from '../../fleet/kinds.js';
import { misnamedKind } from '../../fleet/misnamed-kind.js';
import type { Families } from '../../fleet/model.js';
import { formatPath, type Path } from '../../fleet/path.js';
import { plain, quoted } from '../../fleet/quoted.js';
import { shapeOf } from '../../schemas/shape.js';
import type { Edit } from '../../fleet/edit.js';
import type { ShapeViolation } from '../../schemas/violation.js';
import type { ManifestProblem } from './files.js';
import { defaultNamespace, type Namespace } from './namespace.js';
import type { ManifestDocument } from './parse.js';
import { editInText, writtenValue } from './replacement.js';

/** An object of the model with the document it was read from. */
export interface ManifestObject<F extends Family = Family> {
  readonly document: ManifestDocument;
  readonly kind: KindOfFamily & { readonly family: F };
  readonly object: Families[F];
  /** What is missing or of a wrong type; an object with problems is not fit to be judged. */
  readonly problems: readonly ManifestProblem[];
  /** What else the API server would refuse or drop; empty for what it has stored. */
  readonly shape: readonly ShapeViolation[];
}

/** Manifests are on their way to an API server; a fleet has passed one, be it of a newer KubeFleet than ours. */
export type Standing = 'manifests' | 'fleet';

/** The objects of our kinds; documents of other kinds are left out. */
export function decodeManifests(
  documents: readonly ManifestDocument[],
  standing: Standing,
  namespace = defaultNamespace,
): readonly ManifestObject[] {
  const names = new GeneratedNames();
  return documents.flatMap((document) => {
    const { kind } = document;
    return kind === undefined ? [] : [decodeManifest({ ...document, kind }, { names, standing, namespace })];
  });
}

interface Decoding {
  readonly names: GeneratedNames;
  readonly standing: Standing;
  readonly namespace: Namespace;
}

type OfOurs = ManifestDocument & { readonly kind: KindOfFamily };

function decodeManifest(document: OfOurs, decoding: Decoding): ManifestObject {
  const { kind } = document;
  const { standing, namespace } = decoding;
  const misnamed = standing === 'fleet' ? undefined : misnamedProblem(document);
  const isAsStored = standing === 'fleet' || misnamed !== undefined;
  const { json, violations: shape } = isAsStored
    ? { json: document.json, violations: [] }
    : shapeOf(kind, document.json);
  const { object, problems: misfits } = decode(kind, named({ json, kind }, decoding));
  const isJudgeable = ({ what }: ShapeViolation): boolean => what !== 'missing' && what !== 'type';
  const unfit = shape.filter((violation) => !isJudgeable(violation));
  const isTold = (path: Path): boolean => shape.some((violation) => covers(violation, path));
  const problems = [
    ...(misnamed === undefined ? [] : [misnamed]),
    ...(standing === 'fleet' ? [] : elsewhere(document, namespace)),
    ...unfit.map((violation) => problemAt(document, asWritten(document, violation))),
    ...misfits
      // The API server takes the status off what is created, whatever it holds.
      .filter(({ path }) => !isTold(path) && (standing === 'fleet' || path[0] !== 'status'))
      .map((misfit) => problemAt(document, misfitText(misfit))),
  ];
  const isNameless = problems.length === 0 && object.metadata.name === '';
  if (isNameless)
    problems.push(problemAt(document, { path: ['metadata', 'name'], message: 'expected a string, found nothing' }));
  return { document, kind, object, problems, shape: shape.filter(isJudgeable) };
}

/** Whether a place needs no word of its own: something around it is wrong, or a field that was meant to be it. */
function covers({ what, path, meant }: ShapeViolation, place: Path): boolean {
  const isAround = (around: Path): boolean => sameJson(around, place.slice(0, around.length));
  if (meant !== undefined) return isAround([...path.slice(0, -1), meant]);
  return what === 'missing' || what === 'type' ? isAround(path) : sameJson(path, place);
}

function misfitText({ path, expected, actual }: ShapeProblem): { readonly path: Path; readonly message: string } {
  return { path, message: `expected ${expected}, found ${actual}` };
}

/** A text that YAML reads as something else is told as it is written: `y` rather than true. */
function asWritten(document: ManifestDocument, { path, message, fix, edit }: ShapeViolation): Problem {
  const text = edit?.of === 'quotes' ? writtenValue(document, path) : undefined;
  if (text === undefined) return { path, message, fix, edit };
  const reading = message.endsWith(` ${text}`) ? '' : `; this is how YAML reads ${plain(text)} without quotes`;
  return { path, message: `${message}${reading}`, fix: `Put it in quotes: ${quoted(text)}.`, edit };
}

interface Problem {
  readonly path: Path;
  readonly message: string;
  readonly fix?: string;
  readonly edit?: Edit | undefined;
}

/** Something that is told at its place. */
export function problemAt(document: ManifestDocument, { path, message, fix, edit }: Problem): ManifestProblem {
  const where = path.length === 0 ? '' : `${formatPath(path)}: `;
  const found = editInText(document, { path, edit });
  return {
    file: document.file,
    ...document.locate(path),
    message: `${where}${message}`,
    ...(fix !== undefined && { fix }),
    ...(found !== undefined && { inText: found }),
  };
}

/** A document that is meant for us, and names a kind or a version that there is not. */
function misnamedProblem(document: ManifestDocument): ManifestProblem | undefined {
  const misnamed = misnamedKind(document.json['apiVersion'], document.json['kind']);
  if (misnamed === undefined) return undefined;
  const { field, message, fix, to } = misnamed;
  const edit = to === undefined ? undefined : ({ of: 'value', to } as const);
  return problemAt(document, { path: [field], message, fix, edit });
}

/** What stands among other kinds, and is meant for us. */
export function misnamedProblems(documents: readonly ManifestDocument[]): readonly ManifestProblem[] {
  const others = documents.filter(({ kind }) => kind === undefined);
  return others.flatMap((document) => misnamedProblem(document) ?? []);
}

/** What names another namespace than `-n` does; kubectl refuses it. */
function elsewhere(document: OfOurs, { name, isOnly }: Namespace): readonly ManifestProblem[] {
  const own = fieldOf(document.json['metadata'], 'namespace');
  if (!isOnly || !document.kind.namespaced || typeof own !== 'string' || own === '' || own === name) return [];
  const message = `${quoted(own)} is not the namespace that -n names, ${quoted(name)}`;
  return [problemAt(document, { path: ['metadata', 'namespace'], message, fix: 'Leave -n out, or the namespace.' })];
}

/** The JSON with the name and the namespace that the API server would see. */
function named({ json, kind }: Pick<OfOurs, 'json' | 'kind'>, { names, namespace: around }: Decoding): unknown {
  const { metadata } = json;
  if (!isObject(metadata)) return json;
  // An empty one, or null, is none.
  const namespace = kind.namespaced ? { namespace: metadata.namespace || around.name } : {};
  const { generateName } = metadata;
  const isGenerated = metadata.name === undefined && typeof generateName === 'string';
  const name = isGenerated ? { name: names.next(generateName) } : {};
  return { ...json, metadata: { ...metadata, ...namespace, ...name } };
}

/** Stand-ins for names that the API server will make up: of the same length, and equal to no real name. */
class GeneratedNames {
  private readonly counts = new Map<string, number>();

  next(prefix: string): string {
    const count = this.counts.get(prefix) ?? 0;
    this.counts.set(prefix, count + 1);
    return `${prefix}${(count === 0 ? '' : String(count + 1)).padStart(5, '?')}`;
  }
}

/** Whether the API server will make up the name. */
export function isGenerated({ document }: ManifestObject): boolean {
  return fieldOf(document.json['metadata'], 'name') === undefined;
}

/** The fleet that manifests describe. Complete means that what they do not hold does not exist. */
export function fleetOf(
  documents: readonly ManifestDocument[],
  knowledge: 'complete' | 'partial',
): { fleet: IndexedFleet; problems: readonly ManifestProblem[] } {
  const objects = decodeManifests(documents, 'fleet');
  const fleet = new IndexedFleet(knowledge);
  // An object with a problem is still there: left out, others would be told that it does not exist.
  for (const { kind, object } of objects) putInto(fleet, kind.family, object);
  return { fleet, problems: objects.flatMap(({ problems }) => problems) };
}

/** Puts an object on the shelf of its family. */
export function putInto<F extends Family>(fleet: IndexedFleet, family: F, object: Families[F]): void {
  fleet.put(family, object);
}
