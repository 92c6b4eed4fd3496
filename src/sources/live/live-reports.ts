import { decode } from '../../fleet/decode.js';
import { isObjectName, kindIn, storageVersion, type KindOfFamily } from '../../fleet/kinds.js';
import { fleetKeys } from '../../fleet/fleet-keys.js';
import type { UpdateRun } from '../../fleet/model.js';
import {
  bindingReport,
  memberReport,
  namespaceOfMember,
  parentBinding,
  workKind,
  workReport,
  type BindingReport,
  type MemberReport,
  type Reports,
} from '../../fleet/reports.js';
import { clustersUnderWay } from '../../fleet/run.js';
import { isLabelValue } from '../../fleet/selector.js';
import type { ListAnswer } from '../../fleet/state.js';
import { collectionPath, HubError, objectPath, type Hub } from '../../hub/hub.js';
import { takeAll } from '../../hub/take-all.js';

/** Works hold whole manifests, and more clusters than this at once hang for one reason. */
const mostClusters = 10;

/** Reads what is reported of one run's clusters: its bindings, and of those under way the works and the member agents. */
export async function readReports(hub: Hub, known: UpdateRun, signal: AbortSignal): Promise<Reports> {
  const [run, bindings] = await Promise.all([
    wholeRun(hub, known, signal),
    attempt(() => listBindings({ hub, signal }, known)),
  ]);
  const clusters = clustersToAskAbout(run);
  const wanted = bindings.items.filter(({ cluster }) => clusters.includes(cluster));
  const [works, members] = await Promise.all([
    attempt(() => each(wanted, (binding) => worksOf({ hub, signal }, binding, workReport))),
    attempt(() => each(clusters, (name) => readMember({ hub, signal }, name))),
  ]);
  return { run, bindings, works, members };
}

/** The clusters of which works and member agents are read. */
export function clustersToAskAbout(run: UpdateRun): readonly string[] {
  return clustersUnderWay(run).slice(0, mostClusters).filter(isObjectName);
}

interface Asking {
  readonly hub: Hub;
  readonly signal: AbortSignal;
  /** The form of the answer, where it is not the whole objects. */
  readonly accept?: string;
}

/** A watched run keeps only what rules read. One that is gone is told as it was. */
async function wholeRun(hub: Hub, known: UpdateRun, signal: AbortSignal): Promise<UpdateRun> {
  const { name, namespace } = known.metadata;
  const kind = kindIn('UpdateRun', namespace) as KindOfFamily & { readonly family: 'UpdateRun' };
  try {
    return decode(kind, await hub.call({ path: objectPath(kind, { name, namespace }), signal })).object;
  } catch {
    return known;
  }
}

async function listBindings({ hub, signal }: Asking, { spec, metadata }: UpdateRun): Promise<readonly BindingReport[]> {
  const kind = kindIn('Binding', metadata.namespace);
  if (!isLabelValue(spec.placementName)) return [];
  const path = `${collectionPath(kind, metadata.namespace)}?${selecting(fleetKeys.parentPlacement, spec.placementName)}`;
  return listed({ hub, signal }, path, (json) => bindingReport(json, metadata.namespace));
}

/** The works behind a binding, each as it is taken. */
export async function worksOf<R>(
  asking: Asking,
  { name, cluster }: Pick<BindingReport, 'name' | 'cluster'>,
  take: (json: unknown) => R,
): Promise<readonly R[]> {
  if (!isLabelValue(name)) return [];
  const place = `/apis/${workKind.group}/${storageVersion}/namespaces/${namespaceOfMember(cluster)}/${workKind.plural}`;
  return listed(asking, `${place}?${selecting(parentBinding, name)}`, take);
}

async function readMember({ hub, signal }: Asking, name: string): Promise<readonly MemberReport[]> {
  try {
    return [memberReport(await hub.call({ path: objectPath(kindIn('MemberCluster', undefined), { name }), signal }))];
  } catch (error) {
    if (error instanceof HubError && error.status === 404) return [];
    throw error;
  }
}

function selecting(key: string, value: string): string {
  return `labelSelector=${encodeURIComponent(`${key}=${value}`)}`;
}

/** All objects of a list. Each is taken as it comes, and reduced to what is wanted: works hold whole manifests. */
export async function listed<R>(
  { hub, ...call }: Asking,
  path: string,
  take: (json: unknown) => R,
): Promise<readonly R[]> {
  const taken: R[] = [];
  await takeAll(hub, { ...call, path }, (item) => taken.push(take(item)));
  return taken;
}

async function each<A, B>(all: readonly A[], ask: (one: A) => Promise<readonly B[]>): Promise<readonly B[]> {
  return (await Promise.all(all.map(ask))).flat();
}

/** What may not be read, or does not come, is told as that; nothing is concluded from it. */
async function attempt<T>(ask: () => Promise<readonly T[]>): Promise<ListAnswer<T>> {
  try {
    return { items: await ask(), complete: true };
  } catch {
    return { items: [], complete: false };
  }
}
