import { decode } from '../../fleet/decode.js';
import { IndexedFleet } from '../../fleet/indexed-fleet.js';
import { isObject } from '../../fleet/json.js';
import type { Family, KindOfFamily } from '../../fleet/kinds.js';
import type { Families } from '../../fleet/model.js';
import { formatPath, type Path } from '../../fleet/path.js';
import type { ManifestProblem } from './files.js';
import type { ManifestDocument } from './parse.js';

/** The namespace of an object that names none, as in a fresh kubeconfig. */
const defaultNamespace = 'default';

/** An object of the model with the document it was read from. */
export interface ManifestObject<F extends Family = Family> {
  readonly document: ManifestDocument;
  readonly kind: KindOfFamily & { readonly family: F };
  readonly object: Families[F];
  /** What did not fit the model; an object with problems is not fit to be judged. */
  readonly problems: readonly ManifestProblem[];
}

/** The objects of our kinds; documents of other kinds are left out. */
export function decodeManifests(documents: readonly ManifestDocument[]): readonly ManifestObject[] {
  const names = new GeneratedNames();
  return documents.flatMap((document) => {
    const { kind } = document;
    return kind === undefined ? [] : [decodeManifest({ ...document, kind }, names)];
  });
}

function decodeManifest(
  document: ManifestDocument & { readonly kind: KindOfFamily },
  names: GeneratedNames,
): ManifestObject {
  const { kind, file } = document;
  const { object, faults } = decode(kind, named(document, names));
  const problem = (path: Path, message: string): ManifestProblem => ({
    file,
    ...document.locate(path),
    message: `${formatPath(path)}: ${message}`,
  });
  const problems = faults.map(({ path, expected, actual }) => problem(path, `expected ${expected}, found ${actual}`));
  const isNameless = problems.length === 0 && object.metadata.name === '';
  if (isNameless) problems.push(problem(['metadata', 'name'], 'expected a string, found nothing'));
  return { document, kind, object, problems };
}

/** The JSON with the name and the namespace that the API server would see. */
function named({ json, kind }: ManifestDocument & { readonly kind: KindOfFamily }, names: GeneratedNames): unknown {
  const { metadata } = json;
  if (!isObject(metadata)) return json;
  const namespace = kind.namespaced ? { namespace: metadata.namespace ?? defaultNamespace } : {};
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

/** The fleet that manifests describe. Complete means that what they do not hold does not exist. */
export function fleetOf(
  documents: readonly ManifestDocument[],
  knowledge: 'complete' | 'partial',
): { fleet: IndexedFleet; problems: readonly ManifestProblem[] } {
  const objects = decodeManifests(documents);
  const fleet = new IndexedFleet(knowledge);
  // An object with a fault is still there: left out, others would be told that it does not exist.
  for (const { kind, object } of objects) putInto(fleet, kind.family, object);
  return { fleet, problems: objects.flatMap(({ problems }) => problems) };
}

/** Puts an object on the shelf of its family. */
export function putInto<F extends Family>(fleet: IndexedFleet, family: F, object: Families[F]): void {
  fleet.put(family, object);
}
