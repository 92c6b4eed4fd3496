import type { IndexedFleet } from '../../fleet/indexed-fleet.js';
import { sourceOf, type FleetSource, type KnownFleet } from '../fleet-source.js';
import { fleetOf } from './objects.js';
import { readManifests, type ManifestIo, type Manifests } from './read.js';

/** A hub as files describe it, or standard input. */
export async function openFleetFiles(path: string, io: ManifestIo): Promise<FleetSource> {
  const manifests = await readManifests([path], io);
  return sourceOf(fleetIn(manifests), manifests.documents);
}

/** The whole fleet, unless a part of it could not be read: then what they do not hold is unknown. */
export function fleetIn({ documents, problems }: Manifests): KnownFleet & { readonly fleet: IndexedFleet } {
  const isWhole = problems.length === 0;
  const { fleet, problems: misshapen } = fleetOf(documents, isWhole ? 'complete' : 'partial');
  return { fleet, knowledge: isWhole ? 'whole' : 'broken', problems: [...problems, ...misshapen] };
}
