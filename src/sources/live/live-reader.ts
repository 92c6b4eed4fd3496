import { describe } from '../../errors.js';
import { isObjectName, kindIn, kindsOf, type Family, type KindOfFamily } from '../../fleet/kinds.js';
import { fleetKeys } from '../../fleet/fleet-keys.js';
import type { Families } from '../../fleet/model.js';
import { isOver } from '../../fleet/run.js';
import { isLabelValue } from '../../fleet/selector.js';
import type { Answer, ListAnswer, ObjectKey, Query } from '../../fleet/state.js';
import { takeAll } from '../../hub/take-all.js';
import type { Log } from '../../log.js';
import { unknownAnswer, type ReadRequest, type ReadAnswer } from './read-request.js';
import type { LiveCache } from './cache.js';
import { acceptFor, collectionPath, HubError, identityOf, metadataList, objectPath, type Hub } from '../../hub/hub.js';

export interface ReaderParts {
  readonly hub: Hub;
  readonly cache: LiveCache;
  readonly log: Log;
  /** Sees every question, whether it was answered, and how long that took. */
  readonly onRead?: (read: DoneRead) => void;
}

export interface DoneRead {
  readonly family: Family;
  readonly how: ReadRequest['how'];
  readonly isAnswered: boolean;
  readonly seconds: number;
}

/** Up to this many objects are read one by one; beyond it, one list of their versions says which have changed. */
const fewObjects = 16;
const mostObjects = 64;

type Kind<F extends Family> = KindOfFamily & { readonly family: F };

/** Asks the API server itself, past every cache of ours. */
export class LiveReader {
  constructor(private readonly parts: ReaderParts) {}

  /** Never fails: what cannot be read is unknown, and the log says why. */
  readonly read = async (request: ReadRequest, signal: AbortSignal): Promise<ReadAnswer> => {
    const began = performance.now();
    const tell = (isAnswered: boolean): void => {
      const { family, how } = request;
      this.parts.onRead?.({ family, how, isAnswered, seconds: (performance.now() - began) / 1000 });
    };
    try {
      const answer =
        request.how === 'get' ? await this.get(request.family, request.key, signal) : await this.list(request, signal);
      tell(true);
      return answer;
    } catch (error) {
      tell(false);
      this.parts.log.warn(
        { family: request.family, how: request.how, error: describe(error) },
        'could not be read live',
      );
      return unknownAnswer(request);
    }
  };

  private async get<F extends Family>(family: F, key: ObjectKey, signal: AbortSignal): Promise<Answer<Families[F]>> {
    const kind = kindIn(family, key.namespace) as Kind<F>;
    if (!isObjectName(key.name)) return { is: 'absent' };
    try {
      const json = await this.parts.hub.call({
        path: objectPath(kind, key),
        // One member cluster is read with its taints; no cache needs them.
        accept: family === 'MemberCluster' ? 'application/json' : acceptFor(kind, 'object'),
        signal,
      });
      if (identityOf(json) === undefined) throw new HubError(0, 'the API server sent no object');
      return { is: 'known', value: this.parts.cache.projection.read(kind, json) };
    } catch (error) {
      if (error instanceof HubError && error.status === 404) return { is: 'absent' };
      throw error;
    }
  }

  private async list(
    request: ReadRequest & { how: 'list' },
    signal: AbortSignal,
  ): Promise<ListAnswer<Families[Family]>> {
    const { family, query } = request;
    const kind = kindIn(family, query.namespace);
    if (query.placement !== undefined && hasParentLabel(family)) {
      // No object can carry a label that the API server would not store.
      if (!isLabelValue(query.placement)) return { items: [], complete: true };
      const selector = `labelSelector=${encodeURIComponent(`${fleetKeys.parentPlacement}=${query.placement}`)}`;
      return this.all(kind, { query, selector, signal });
    }
    if (!query.everywhere && (family === 'MemberCluster' || family === 'UpdateStrategy'))
      return this.all(kind, { query, signal });
    return this.known(kind, query, signal);
  }

  /** Lists from the API server, page by page. */
  private async all(kind: KindOfFamily, wanted: Wanted): Promise<ListAnswer<Families[Family]>> {
    const items: Families[Family][] = [];
    await this.each(kind, wanted, (json) => items.push(this.parts.cache.projection.read(kind, json)));
    items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    return { items, complete: true };
  }

  private async each(kind: KindOfFamily, wanted: Wanted, take: (json: unknown) => void): Promise<void> {
    const { query, selector, accept = acceptFor(kind, 'list'), signal } = wanted;
    const path = collectionPath(kind, query.namespace) + (selector === undefined ? '' : `?${selector}`);
    try {
      await takeAll(this.parts.hub, { path, accept, signal }, take);
    } catch (error) {
      // A kind that is not served has no objects.
      if (!(error instanceof HubError) || error.status !== 404) throw error;
    }
  }

  /**
   * Runs and approvals cannot be listed by what they belong to: no label and no field selector says it. Those that the
   * cache knows are read anew. A run that is over stays over.
   */
  private async known(kind: KindOfFamily, query: Query, signal: AbortSignal): Promise<ListAnswer<Families[Family]>> {
    const { items, complete } = this.parts.cache.list(kind.family, query);
    if (!complete) return { items: [], complete: false };
    const open = items.filter((item) => !isOverRun(kind, item));
    const changed = open.length > fewObjects ? await this.changedAmong(kind, open, { query, signal }) : open;
    if (changed.length > mostObjects) return { items: [], complete: false };
    const fresh = new Map(
      await Promise.all(
        changed.map(async (item) => [item, await this.get(kind.family, item.metadata, signal)] as const),
      ),
    );
    const now = items.flatMap((item) => {
      const answer = fresh.get(item) ?? { is: 'known', value: item };
      return answer.is === 'known' ? [answer.value] : [];
    });
    return { items: now, complete: true };
  }

  /** One list of metadata tells which of many objects are no longer as the cache has them. */
  private async changedAmong(
    kind: KindOfFamily,
    items: readonly Families[Family][],
    { query, signal }: Pick<Wanted, 'query' | 'signal'>,
  ): Promise<readonly Families[Family][]> {
    const asked = query.everywhere ? kindsOf(kind.family) : [kind];
    const versions = new Map<string, string>();
    const note = (json: unknown): void => {
      const identity = identityOf(json);
      if (identity !== undefined) versions.set(placeOf(identity.key), identity.resourceVersion);
    };
    await Promise.all(asked.map((one) => this.each(one, { query, accept: metadataList, signal }, note)));
    return items.filter(({ metadata }) => versions.get(placeOf(metadata)) !== metadata.resourceVersion);
  }
}

interface Wanted {
  readonly query: Query;
  readonly selector?: string;
  readonly accept?: string;
  readonly signal: AbortSignal;
}

function placeOf({ name, namespace = '' }: ObjectKey): string {
  return `${namespace}/${name}`;
}

function hasParentLabel(family: Family): boolean {
  return family === 'PolicySnapshot' || family === 'ResourceSnapshot' || family === 'Binding';
}

function isOverRun({ family }: KindOfFamily, object: Families[Family]): boolean {
  return family === 'UpdateRun' && isOver(object as Families['UpdateRun']);
}
