import { IndexedFleet } from '../fleet/indexed-fleet.js';
import type { Family, KindOfFamily } from '../fleet/kinds.js';
import type { Dictionary, Families, UpdateRun } from '../fleet/model.js';
import type { Path } from '../fleet/path.js';
import { reportsAmong, type ReportedObject, type Reports } from '../fleet/reports.js';
import type { FleetState } from '../fleet/state.js';
import type { ReadRequest } from './live/read-request.js';
import type { ManifestProblem } from './manifests/files.js';
import type { Location } from './manifests/places.js';

/** A fleet as far as it is known. */
export interface KnownFleet {
  readonly fleet: FleetState;
  /** `broken` where a part of it could not be read: what is missing may stand in that part. */
  readonly knowledge: 'none' | 'broken' | 'whole';
  readonly problems: readonly ManifestProblem[];
}

/** An object, as whoever reports on it knows it. */
interface Subject {
  readonly kind: KindOfFamily['kind'];
  readonly namespace: string | undefined;
  readonly name: string;
}

interface Place extends Location {
  readonly file: string;
}

/** Where a command knows its fleet from; each kind of source is one file. */
export interface FleetSource {
  /** Every object of a family; of bindings, those that cost nothing to know. */
  all<F extends Family>(family: F): readonly Families[F][];
  /** The fleet, with answers to these questions, which may be too dear to be known unasked. */
  asked(requests: readonly ReadRequest[]): Promise<KnownFleet>;
  /** The version of KubeFleet that runs there, `auto` where nothing shows it; undefined where there is no hub to ask. */
  version(deployment: string): Promise<string | undefined>;
  /** The labels of each namespace; undefined where there is no hub to ask. */
  namespaceLabels(): Promise<((namespace: string) => Dictionary | undefined) | undefined>;
  /** What is reported of the clusters of a run. */
  reports(run: UpdateRun): Promise<Reports>;
  /** Where in files something of an object stands; only files have places. */
  readonly placeOf?: (subject: Subject, path: Path) => Place | undefined;
  /** The namespace that kubectl would take for what names none; absent where it would say `default`. */
  readonly namespace?: string;
  close(): Promise<void>;
}

/** No fleet at all: whatever is asked of it is unknown. */
export function noFleet(): FleetSource {
  return sourceOf(nothingKnown());
}

/** What is known where there is no fleet. */
export function nothingKnown(): KnownFleet & { readonly fleet: IndexedFleet } {
  return { fleet: new IndexedFleet('partial'), knowledge: 'none', problems: [] };
}

/** A source that knows everything it ever will. */
export function sourceOf(
  known: KnownFleet & { readonly fleet: IndexedFleet },
  documents: readonly ReportedObject[] = [],
): FleetSource {
  return {
    reports: (run) => Promise.resolve(reportsAmong(documents, run, known.knowledge === 'whole')),
    all: (family) => known.fleet.all(family),
    asked: () => Promise.resolve(known),
    version: () => Promise.resolve(undefined),
    namespaceLabels: () => Promise.resolve(undefined),
    close: () => Promise.resolve(),
  };
}
