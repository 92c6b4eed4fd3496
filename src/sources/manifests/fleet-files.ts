import { fieldOf } from '../../fleet/json.js';
import type { IndexedFleet } from '../../fleet/indexed-fleet.js';
import { sourceOf, type FleetSource, type KnownFleet } from '../fleet-source.js';
import { doubtsIn } from './doubts.js';
import type { ManifestProblem } from './files.js';
import { defaultNamespace } from './namespace.js';
import { fleetOf } from './objects.js';
import type { ManifestDocument } from './parse.js';
import { readManifests, type ManifestIo, type Manifests } from './read.js';

/** A hub as files describe it, or standard input; what looks misspelled there is told to `onDoubts`. */
export async function openFleetFiles(
  path: string,
  io: ManifestIo,
  onDoubts: (doubts: readonly ManifestProblem[]) => void,
): Promise<FleetSource> {
  const manifests = await readManifests([path], io);
  onDoubts(doubtsIn(manifests.documents));
  return { ...sourceOf(fleetIn(manifests), manifests.documents), placeOf: placesOf(manifests) };
}

/** Of an object that stands in files twice the last one counts, here as there. */
function placesOf({ documents }: Manifests): NonNullable<FleetSource['placeOf']> {
  let byObject: ReadonlyMap<string, ManifestDocument> | undefined;
  return ({ kind, namespace = '', name }, path) => {
    byObject ??= new Map(documents.map((document) => [keyOf(document), document]));
    const document = byObject.get(JSON.stringify([kind, namespace, name]));
    return document === undefined ? undefined : { file: document.file, ...document.locate(path) };
  };
}

function keyOf({ json, kind }: ManifestDocument): string {
  const [name, namespace] = ['name', 'namespace'].map((field) => fieldOf(json['metadata'], field));
  return JSON.stringify([kind?.kind, kind?.namespaced === true ? namespace || defaultNamespace.name : '', name]);
}

/** The whole fleet, unless a part of it could not be read: then what they do not hold is unknown. */
export function fleetIn({ documents, problems }: Manifests): KnownFleet & { readonly fleet: IndexedFleet } {
  const isWhole = problems.length === 0;
  const { fleet, problems: misshapen } = fleetOf(documents, isWhole ? 'complete' : 'partial');
  return { fleet, knowledge: isWhole ? 'whole' : 'broken', problems: [...problems, ...misshapen] };
}
