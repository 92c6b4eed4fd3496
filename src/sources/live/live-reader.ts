import { describe } from '../../errors.js';
import { isObjectName, kindIn, kindsOf, type Family, type KindOfFamily } from '../../fleet/kinds.js';
import { fleetKeys, type Families } from '../../fleet/model.js';
import { isOver } from '../../fleet/run.js';
import { isLabelValue } from '../../fleet/selector.js';
import type { Answer, ListAnswer, ObjectKey, Query } from '../../fleet/state.js';
import type { Log } from '../../log.js';
import { untold, type Ask, type Told } from './ask.js';
import type { LiveCache } from './cache.js';
import { acceptFor, collectionPath, HubError, identityOf, metadataList, objectPath, pageOf, type Hub } from './hub.js';

export interface ReaderParts {
  readonly hub: Hub;
  readonly cache: LiveCache;
  readonly log: Log;
  /** Sees every question and whether it was answered. */
  readonly onRead?: (family: Family, isAnswered: boolean) => void;
}

/** Up to this many objects are read one by one; beyond it, one list of their versions says which have changed. */
const fewObjects = 16;
const mostObjects = 64;
const pageSize = 500;

type Kind<F extends Family> = KindOfFamily & { readonly family: F };

/** Asks the API server itself, past every cache of ours. */
export class LiveReader {
  constructor(private readonly parts: ReaderParts) {}

  /** Never fails: what cannot be read is unknown, and the log says why. */
  readonly read = async (ask: Ask, signal: AbortSignal): Promise<Told> => {
    try {
      const told = ask.how === 'get' ? await this.get(ask.family, ask.key, signal) : await this.list(ask, signal);
      this.parts.onRead?.(ask.family, true);
      return told;
    } catch (error) {
      this.parts.onRead?.(ask.family, false);
      this.parts.log.warn({ family: ask.family, how: ask.how, error: describe(error) }, 'could not be read live');
      return untold(ask);
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
      return { is: 'known', value: this.parts.cache.projection.object(kind, json) };
    } catch (error) {
      if (error instanceof HubError && error.status === 404) return { is: 'absent' };
      throw error;
    }
  }

  private async list(ask: Ask & { how: 'list' }, signal: AbortSignal): Promise<ListAnswer<Families[Family]>> {
    const { family, query } = ask;
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
    const items = (await this.pages(kind, wanted)).map((json) => this.parts.cache.projection.object(kind, json));
    items.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
    return { items, complete: true };
  }

  private async pages(kind: KindOfFamily, wanted: Wanted): Promise<readonly unknown[]> {
    const { query, selector = '', accept = acceptFor(kind, 'list'), signal } = wanted;
    const items: unknown[] = [];
    let next = '';
    do {
      const parts = [`limit=${String(pageSize)}`, selector, next && `continue=${encodeURIComponent(next)}`];
      const path = `${collectionPath(kind, query.namespace)}?${parts.filter((part) => part !== '').join('&')}`;
      const page = await this.page(path, accept, signal);
      items.push(...page.items);
      next = page.next;
    } while (next !== '');
    return items;
  }

  private async page(path: string, accept: string, signal: AbortSignal): Promise<ReturnType<typeof pageOf>> {
    try {
      return pageOf(await this.parts.hub.call({ path, accept, signal }));
    } catch (error) {
      // A kind that is not served has no objects.
      if (error instanceof HubError && error.status === 404) return { items: [], next: '' };
      throw error;
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
    const listed = await Promise.all(asked.map((one) => this.pages(one, { query, accept: metadataList, signal })));
    const versions = new Map(
      listed.flat().map((json) => {
        const identity = identityOf(json);
        return [identity && placeOf(identity.key), identity?.resourceVersion];
      }),
    );
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
