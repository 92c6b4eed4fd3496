import { Background } from '../../background.js';
import type { Clock } from '../../clock.js';
import { describe } from '../../errors.js';
import { fieldOf } from '../../fleet/json.js';
import type { Family, KindOfFamily } from '../../fleet/kinds.js';
import { silentLog, type Log } from '../../log.js';
import { LiveCache, type CacheChange } from './cache.js';
import { allOf, watchedKinds } from '../../hub/collection.js';
import { groupPath, HubError, type Hub } from '../../hub/hub.js';
import { Reflector } from '../../hub/reflector.js';

/** How fresh one kind of the cache is, and what it has been through. */
export interface CacheAge {
  readonly family: Family;
  readonly scope: 'cluster' | 'namespaced';
  /** Seconds since the API server last spoke of the kind; undefined while it never did. */
  readonly seconds: number | undefined;
  readonly lists: number;
  readonly failures: number;
}

export interface LiveFleetParts {
  readonly hub: Hub;
  readonly clock?: Clock;
  readonly log?: Log;
  readonly onChange?: (change: CacheChange) => void;
  /** Sees every failure of a list or watch; each is tried again anyway. */
  readonly onFailure?: (kind: KindOfFamily, error: unknown) => void;
}

/** An upgrade of KubeFleet, which brings new kinds, is noticed within this time. */
const rediscoverMilliseconds = 5 * 60_000;
const retryMilliseconds = 3_000;

/** The fleet of a running hub, kept up to date by one watch a kind. */
export class LiveFleet extends Background {
  readonly cache: LiveCache;
  /** Settles when every kind that the hub serves has been listed once. */
  readonly synced: Promise<void>;
  private setSynced: () => void = () => undefined;
  private isFirstSyncDone = false;
  private isDiscovered = false;
  private readonly reflectors = new Map<KindOfFamily, Reflector>();
  private readonly log: Log;

  constructor(private readonly parts: LiveFleetParts) {
    super(parts.clock);
    this.log = parts.log ?? silentLog;
    this.cache = new LiveCache(parts.onChange);
    this.synced = new Promise((resolve) => {
      this.setSynced = resolve;
    });
  }

  override async stop(): Promise<void> {
    await super.stop();
    await Promise.all([...this.reflectors.values()].map((reflector) => reflector.stop()));
  }

  /** What is not there yet of the first sync, but for these kinds; empty for good once it is done. */
  missing(but: ReadonlySet<KindOfFamily> = new Set()): readonly string[] {
    if (this.isFirstSyncDone) return [];
    if (!this.isDiscovered) return ['an answer of the API server'];
    return watchedKinds
      .filter((kind) => !this.cache.knows(kind) && !but.has(kind))
      .map(({ kind }) => `the list of ${kind}`);
  }

  ages(): readonly CacheAge[] {
    return [...this.reflectors].map(([{ family, namespaced }, reflector]) => ({
      family,
      scope: namespaced ? 'namespaced' : 'cluster',
      seconds: reflector.ageSeconds,
      ...reflector.counts,
    }));
  }

  protected async turn(signal: AbortSignal): Promise<number> {
    // Replicas that started together should not ask together for ever.
    const share = 0.75 + this.clock.random() / 2;
    try {
      const served = await servedKinds(this.parts.hub, signal);
      for (const kind of watchedKinds) await this.follow(kind, served.has(kind));
      if (!this.isDiscovered) void this.noteFirstSync();
      this.isDiscovered = true;
      return rediscoverMilliseconds * share;
    } catch (error) {
      if (!signal.aborted) {
        this.log.warn({ error: describe(error) }, 'cannot ask the API server which kinds it serves, trying again');
      }
      return retryMilliseconds * share;
    }
  }

  private async noteFirstSync(): Promise<void> {
    await Promise.all([...this.reflectors.values()].map(({ synced }) => synced));
    this.isFirstSyncDone = true;
    this.log.info({ kinds: this.reflectors.size }, 'the fleet is known');
    this.setSynced();
  }

  /** Begins to watch a kind that is served, and lets go of one that is not. */
  private async follow(kind: KindOfFamily, isServed: boolean): Promise<void> {
    const reflector = this.reflectors.get(kind);
    if (isServed && reflector === undefined) this.watch(kind);
    if (isServed || (reflector === undefined && this.cache.knows(kind))) return;
    this.reflectors.delete(kind);
    await reflector?.stop();
    this.cache.setEmpty(kind);
    this.log.warn({ kind: kind.kind }, 'this hub does not serve the kind; it counts as empty');
  }

  private watch(kind: KindOfFamily): void {
    if (this.isDiscovered) this.log.info({ kind: kind.kind }, 'this hub has begun to serve the kind');
    this.cache.forget(kind);
    const { clock, log } = this;
    const { hub, onFailure } = this.parts;
    const reflector = new Reflector({
      of: allOf(kind),
      hub,
      sink: this.cache.sinkFor(kind),
      clock,
      log,
      onFailure: (error) => onFailure?.(kind, error),
    });
    this.reflectors.set(kind, reflector);
    reflector.start();
  }
}

/** Which kinds the hub serves in the version that KubeFleet's controllers read. */
export async function servedKinds(hub: Hub, signal: AbortSignal): Promise<ReadonlySet<KindOfFamily>> {
  const groups = [...new Set(watchedKinds.map(({ group }) => group))];
  const plurals = await Promise.all(groups.map((group) => pluralsOf(hub, group, signal)));
  return new Set(watchedKinds.filter(({ group, plural }) => plurals[groups.indexOf(group)]?.has(plural)));
}

async function pluralsOf(hub: Hub, group: string, signal: AbortSignal): Promise<ReadonlySet<unknown>> {
  try {
    const resources = fieldOf(await hub.call({ path: groupPath(group), signal }), 'resources');
    if (!Array.isArray(resources)) throw new HubError(0, 'the API server sent no list of kinds');
    return new Set(resources.map((resource) => fieldOf(resource, 'name')));
  } catch (error) {
    if (error instanceof HubError && error.status === 404) return new Set();
    throw error;
  }
}
