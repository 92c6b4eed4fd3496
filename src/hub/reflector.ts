import { Background } from '../background.js';
import { Watchdog, type Clock } from '../clock.js';
import { describe } from '../errors.js';
import { fieldOf } from '../fleet/json.js';
import type { ObjectKey } from '../fleet/state.js';
import type { Log } from '../log.js';
import { pathOf, type Collection } from './collection.js';
import { HubError, identityOf, versionOf, type Hub, type ListEnd } from './hub.js';
import { PageSize } from './page-size.js';

/** Where a reflector puts what it hears. */
export interface Sink {
  put(json: unknown): void;
  remove(key: ObjectKey): void;
  /** A list has been read to its end: only these exist. Keys are `namespace/name`. */
  keepOnly(keys: ReadonlySet<string>): void;
}

export interface ReflectorParts {
  readonly of: Collection;
  readonly hub: Hub;
  readonly sink: Sink;
  readonly clock: Clock;
  readonly log: Log;
  /** Sees every failure, though the reflector goes on. */
  readonly onFailure?: (error: unknown) => void;
}

/** What a reflector has been through, for metrics. */
export interface ReflectorCounts {
  readonly lists: number;
  readonly failures: number;
}

/** No page takes longer, unless it never comes. */
const pageMilliseconds = 60_000;

/** Bookmarks come every minute. */
const idleMilliseconds = 90_000;

/** A watch that ends sooner without having said anything was no watch. */
const shortestWatch = 5_000;

const firstDelay = 500;
const longestDelay = 30_000;

/** Keeps a sink equal to all objects of one kind, for as long as it runs, through every failure of the connection. */
export class Reflector extends Background {
  /** Settles when the first list has been read to its end, however long that takes. */
  readonly synced: Promise<void>;
  private setSynced: () => void = () => undefined;
  /** Where the watch goes on; undefined means that only a list can tell what there is. */
  private version: string | undefined;
  /** Failures since the API server last said something useful. */
  private inARow = 0;
  private counted = { lists: 0, failures: 0 };
  private contact: number | undefined;
  private readonly pageSize = new PageSize();

  constructor(private readonly parts: ReflectorParts) {
    super(parts.clock);
    this.synced = new Promise((resolve) => {
      this.setSynced = resolve;
    });
  }

  get counts(): ReflectorCounts {
    return this.counted;
  }

  /** Seconds since the API server last spoke of this kind; undefined before it ever did. */
  get ageSeconds(): number | undefined {
    return this.contact === undefined ? undefined : (this.parts.clock.now() - this.contact) / 1000;
  }

  protected async turn(signal: AbortSignal): Promise<number> {
    try {
      if (this.version !== undefined && (await this.hasGoneBack(this.version))) this.version = undefined;
      this.version ??= await this.list();
      await this.watch(this.version);
      return 0;
    } catch (error) {
      return signal.aborted ? 0 : this.recover(error);
    }
  }

  /**
   * Whether the hub is older than what it has told, as after a restore from a backup. A watch from a version that is yet
   * to come would say nothing until then, and leave out what came before.
   */
  private async hasGoneBack(heard: string): Promise<boolean> {
    const { of, log } = this.parts;
    const { version } = await this.page('limit=1', () => undefined);
    const isBack = version !== undefined && isEarlier(version, heard);
    if (isBack) log.warn({ kind: of.kind, heard, version }, 'the hub has gone back to an older state, listing again');
    return isBack;
  }

  /** How long to wait before the next attempt. */
  private recover(error: unknown): number {
    const { of, log } = this.parts;
    const isExpired = error instanceof HubError && error.status === 410;
    if (isExpired) this.version = undefined;
    this.inARow += 1;
    this.parts.onFailure?.(error);
    this.counted = { ...this.counted, failures: this.counted.failures + 1 };
    const fields = { kind: of.kind, error: describe(error), inARow: this.inARow };
    // Every further failure says the same; the metric for the age goes on telling.
    if (this.inARow === 1 && isExpired) log.info(fields, 'watch expired, listing again');
    else if (this.inARow === 1) log.warn(fields, 'lost touch with the API server, trying again');
    else log.debug(fields, 'still out of touch with the API server');
    const asked = error instanceof HubError ? error.retryAfterSeconds * 1000 : 0;
    return Math.min(longestDelay, Math.max(asked, this.delay()));
  }

  private delay(): number {
    const doubled = firstDelay * 2 ** Math.min(this.inARow - 1, 10);
    return Math.min(longestDelay, doubled) * (0.5 + this.parts.clock.random());
  }

  /** Reads all pages; the answer says where a watch goes on. */
  private async list(): Promise<string> {
    const { sink } = this.parts;
    const keys = new Set<string>();
    let next = '';
    let version: string | undefined;
    do {
      let items = 0;
      const query = `limit=${String(this.pageSize.limit)}${next && `&continue=${encodeURIComponent(next)}`}`;
      const page = await this.page(query, (item) => {
        keys.add(this.take(item));
        items += 1;
      });
      ({ version, next } = page);
      if (version === undefined) throw new HubError(0, 'the API server sent a list without a version');
      this.pageSize.saw(items, page.bytes);
    } while (next !== '');
    this.guarded(() => {
      sink.keepOnly(keys);
    });
    this.counted = { ...this.counted, lists: this.counted.lists + 1 };
    this.setSynced();
    return version;
  }

  private async page(query: string, take: (item: unknown) => void): Promise<ListEnd> {
    const { hub, of, clock } = this.parts;
    const watchdog = new Watchdog(clock, pageMilliseconds, this.signal);
    try {
      const page = await hub.list({ path: pathOf(of, query), accept: of.accept.list, signal: watchdog.signal }, take);
      this.contact = clock.now();
      return page;
    } finally {
      watchdog.end();
    }
  }

  private async watch(from: string): Promise<void> {
    const { hub, of, clock } = this.parts;
    const watchdog = new Watchdog(clock, idleMilliseconds, this.signal);
    // An attempt that nobody answers may take longer than any watch must; it is none.
    let began = Infinity;
    let heard = 0;
    try {
      // Replicas that started together should not list and watch together for ever.
      const seconds = 300 + Math.floor(clock.random() * 300);
      const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=${String(seconds)}`;
      const path = pathOf(of, `${query}&resourceVersion=${encodeURIComponent(from)}`);
      const events = await hub.stream({ path, accept: of.accept.object, signal: watchdog.signal });
      began = clock.now();
      this.contact = began;
      for await (const event of events) {
        watchdog.reset();
        this.hear(event);
        this.contact = clock.now();
        heard += 1;
        this.settle();
      }
    } finally {
      watchdog.end();
      if (clock.now() - began >= shortestWatch) this.settle();
    }
    if (heard === 0 && clock.now() - began < shortestWatch)
      throw new HubError(0, 'the watch ended as soon as it began');
  }

  private settle(): void {
    if (this.inARow > 0) this.parts.log.info({ kind: this.parts.of.kind }, 'in touch with the API server again');
    this.inARow = 0;
  }

  private hear(event: unknown): void {
    const type = fieldOf(event, 'type');
    const object = fieldOf(event, 'object');
    if (type === 'ERROR') throw HubError.from(0, object);
    const version = versionOf(object);
    if (version === undefined) throw new HubError(0, 'the API server sent an event without an object');
    if (type === 'ADDED' || type === 'MODIFIED') this.take(object);
    else if (type === 'DELETED') this.drop(object);
    else if (type !== 'BOOKMARK') throw new HubError(0, `the API server sent an event of type ${JSON.stringify(type)}`);
    this.version = version;
  }

  private take(json: unknown): string {
    const { key } = this.identified(json);
    this.guarded(() => {
      this.parts.sink.put(json);
    });
    return `${key.namespace ?? ''}/${key.name}`;
  }

  private drop(json: unknown): void {
    const { key } = this.identified(json);
    this.guarded(() => {
      this.parts.sink.remove(key);
    });
  }

  private identified(json: unknown): NonNullable<ReturnType<typeof identityOf>> {
    const identity = identityOf(json);
    if (identity === undefined) throw new HubError(0, 'the API server sent an object without name or version');
    return identity;
  }

  /** A bug of ours in taking up one object must not end the watch. */
  private guarded(act: () => void): void {
    try {
      act();
    } catch (error) {
      this.parts.log.error({ kind: this.parts.of.kind, error: describe(error) }, 'could not take up what was heard');
    }
  }
}

/** Versions are numbers that grow, as the API server's own conventions have it; of anything else nobody can tell. */
function isEarlier(one: string, other: string): boolean {
  return [one, other].every((version) => /^\d{1,40}$/.test(version)) && BigInt(one) < BigInt(other);
}
