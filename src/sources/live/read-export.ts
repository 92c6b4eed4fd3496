import { decode } from '../../fleet/decode.js';
import { kinds, type Family, type KindOfFamily } from '../../fleet/kinds.js';
import type { Families, UpdateRun } from '../../fleet/model.js';
import { isBindingOf } from '../../fleet/reports.js';
import { acceptFor, collectionPath, HubError, type Hub } from '../../hub/hub.js';
import { exportedObject, exportedWork, type ExportedObject } from '../exported-object.js';
import { clustersToAskAbout, listed, worksOf } from './live-reports.js';

/** Runs first: which of the others are read in detail depends on one of them. */
const exportedKinds = kinds.filter(({ family }) => family !== 'Eviction');

export interface ExportRequest {
  readonly hub: Hub;
  /** Finds the run whose bindings, works and member agents are to be there in detail. */
  readonly choose?: (runs: readonly UpdateRun[]) => UpdateRun;
  readonly signal: AbortSignal;
}

/** A hub as it stands, object by object, with what is read of each. Fails where a part of it cannot be read. */
export async function readExport({ hub, choose, signal }: ExportRequest): Promise<readonly ExportedObject[]> {
  const stored = new Map<KindOfFamily, readonly unknown[]>();
  for (const kind of exportedKinds) {
    const all = await listAll(kind, hub, signal);
    if (all !== undefined) stored.set(kind, all);
  }
  // An empty fleet would mean that nothing exists; this says nothing.
  if (stored.size === 0) throw new HubError(404, 'it serves none of the kinds of KubeFleet');
  const run = choose?.(ofFamily(stored, 'UpdateRun'));
  const objects = [...stored].flatMap(([kind, all]) =>
    all.map((json) => exportedObject(kind, json, isAbout(kind, json, run) ? 'diagnosis' : 'rules')),
  );
  return run === undefined ? objects : [...objects, ...(await worksOfRun(run, stored, { hub, signal }))];
}

/** All objects of a kind; undefined where the hub does not serve it. */
async function listAll(kind: KindOfFamily, hub: Hub, signal: AbortSignal): Promise<readonly unknown[] | undefined> {
  // Of member clusters taints are read, and what their agents say.
  const accept = kind.family === 'MemberCluster' ? 'application/json' : acceptFor(kind, 'list');
  try {
    return await listed({ hub, accept, signal }, collectionPath(kind), (item) => item);
  } catch (error) {
    if (error instanceof HubError && error.status === 404) return undefined;
    throw error;
  }
}

function ofFamily<F extends Family>(
  stored: ReadonlyMap<KindOfFamily, readonly unknown[]>,
  family: F,
): readonly Families[F][] {
  return [...stored].flatMap(([kind, all]) =>
    kind.family === family ? all.map((json) => decode(kind as KindOfFamily & { family: F }, json).object) : [],
  );
}

function isAbout(kind: KindOfFamily, json: unknown, run: UpdateRun | undefined): boolean {
  if (run === undefined) return false;
  if (kind.family === 'MemberCluster') return true;
  if (kind.family === 'Binding') return isBindingOf(json, run);
  return kind.family === 'UpdateRun' && decode(kind, json).object.metadata.uid === run.metadata.uid;
}

async function worksOfRun(
  run: UpdateRun,
  stored: ReadonlyMap<KindOfFamily, readonly unknown[]>,
  asking: Pick<ExportRequest, 'hub' | 'signal'>,
): Promise<readonly ExportedObject[]> {
  const clusters = clustersToAskAbout(run);
  const bindings = [...stored]
    .filter(([{ family }]) => family === 'Binding')
    .flatMap(([kind, all]) => all.filter((json) => isAbout(kind, json, run)).map((json) => decode(kind, json).object))
    .map((object) => object as Families['Binding'])
    .filter(({ spec }) => clusters.includes(spec.targetCluster));
  const works = await Promise.all(
    bindings.map(({ metadata, spec }) =>
      worksOf(asking, { name: metadata.name, cluster: spec.targetCluster }, exportedWork),
    ),
  );
  return works.flat();
}
