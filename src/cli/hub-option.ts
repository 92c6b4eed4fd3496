import { GuardError } from '../errors.js';
import { connectLive, type LiveHub } from '../sources/live/connect.js';
import type { Ask } from '../sources/live/ask.js';
import type { HubAddress } from '../sources/live/connection.js';
import { scopeOf } from '../fleet/kinds.js';
import type { FleetState } from '../fleet/state.js';
import { decodeManifests } from '../sources/manifests/objects.js';
import type { Manifests } from '../sources/manifests/read.js';
import type { Io } from './io.js';

/** How commands are told which hub to ask. */
export interface HubOptions {
  readonly fleet?: string;
  readonly live?: boolean;
  readonly kubeconfig?: string;
  readonly context?: string;
}

export const kubeconfigHelp = 'the hub to ask (default: as kubectl finds it)';

function addressOf({ kubeconfig, context }: HubOptions): HubAddress {
  if (kubeconfig !== undefined) return { kubeconfig, ...(context !== undefined && { context }) };
  if (context !== undefined) throw new GuardError('INPUT_USAGE', '--context needs --kubeconfig');
  return 'default';
}

/** Does something with a hub that is known, and lets go of it whatever comes of that. */
export async function withHub<T>(options: HubOptions, io: Io, use: (hub: LiveHub) => Promise<T>): Promise<T> {
  if (options.fleet !== undefined) {
    throw new GuardError('INPUT_USAGE', 'give either --fleet or a hub to ask: there is one fleet');
  }
  if (io.hasProgress) io.err('reading the fleet of the hub');
  const hub = await connectLive({ address: addressOf(options) });
  if (io.hasProgress) io.err('\r\u001b[K');
  try {
    return await use(hub);
  } finally {
    await hub.close();
  }
}

/** The fleet of a hub as far as manifests need it: the bindings of their runs, and their member clusters in full. */
async function fleetFor(manifests: Manifests, hub: LiveHub): Promise<FleetState> {
  const asks = decodeManifests(manifests.documents).flatMap(({ kind: { family }, object }): Ask[] => {
    const { name, namespace } = object.metadata;
    if (family === 'MemberCluster') return [{ how: 'get', family, key: { name, namespace } }];
    if (!('spec' in object) || !('stagedRolloutStrategyName' in object.spec)) return [];
    return [bindingsOf(object.spec.placementName, namespace)];
  });
  return hub.reading(asks);
}

/** Asks for the bindings of a placement. */
export function bindingsOf(placement: string, namespace: string | undefined): Ask {
  return { how: 'list', family: 'Binding', query: { placement, namespace: scopeOf('Binding', namespace) } };
}

/** The fleet that a command was told to ask a hub for, if it was; it answers as long as `use` takes. */
export async function withFleetFor<T>(
  manifests: Manifests,
  { options, io }: { readonly options: HubOptions; readonly io: Io },
  use: (fleet: FleetState | undefined) => T,
): Promise<T> {
  if (options.live !== true && options.kubeconfig === undefined) return use(undefined);
  return withHub(options, io, async (hub) => use(await fleetFor(manifests, hub)));
}
