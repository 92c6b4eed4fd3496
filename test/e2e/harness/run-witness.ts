import { Connection } from '../../../src/hub/connection.js';
import type { Hub } from './hub.js';
import { pathOf, type Scope } from './paths.js';

/** Sees every change of every run, in the order in which they were stored. */
export interface Witness {
  /** Moments at which a placement had two active runs; there should be none. */
  readonly clashes: readonly string[];
  /** How many runs have become active. */
  activations(): number;
  stop(): Promise<void>;
}

interface Run {
  readonly metadata: { readonly name: string; readonly deletionTimestamp?: string };
  readonly spec: { readonly placementName: string; readonly state: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

export async function startWitness(hub: Hub, scopes: readonly Scope[]): Promise<Witness> {
  const connection = new Connection({ kubeconfig: hub.kubeconfig('admin') });
  const stopping = new AbortController();
  const clashes: string[] = [];
  let activations = 0;
  const watching = scopes.map(async (scope) => {
    const active = new Map<string, Set<string>>();
    const path = pathOf('UpdateRun', scope);
    const { body } = await hub.api('admin').get(`${path}?limit=1`);
    const { resourceVersion } = body['metadata'] as { resourceVersion: string };
    const query = `watch=1&resourceVersion=${resourceVersion}&timeoutSeconds=3600`;
    const events = await connection.stream({ path: `${path}?${query}`, signal: stopping.signal });
    return { active, events };
  });
  const started = await Promise.all(watching);
  const ended = started.map(async ({ active, events }) => {
    try {
      for await (const event of events) {
        const { type, object } = event as { type: string; object: Run };
        const { name } = object.metadata;
        const { placementName } = object.spec;
        const names = active.get(placementName) ?? new Set<string>();
        active.set(placementName, names);
        const before = names.has(name);
        if (type !== 'DELETED' && isActive(object)) names.add(name);
        else names.delete(name);
        if (!before && names.has(name)) activations += 1;
        if (names.size > 1) clashes.push(`${placementName}: ${[...names].join(' and ')}`);
      }
      if (!stopping.signal.aborted) clashes.push('the watch ended early');
    } catch (error) {
      if (!stopping.signal.aborted) clashes.push(`the watch broke: ${String(error)}`);
    }
  });
  return {
    clashes,
    activations: () => activations,
    async stop() {
      stopping.abort();
      await Promise.all(ended);
      await connection.close();
    },
  };
}

function isActive({ metadata, spec, status }: Run): boolean {
  const ends = status?.conditions?.some(({ type }) => type === 'Succeeded') ?? false;
  return metadata.deletionTimestamp === undefined && spec.state === 'Run' && !ends;
}
