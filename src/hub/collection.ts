import { kinds, type KindOfFamily } from '../fleet/kinds.js';
import { acceptFor, collectionPath } from './hub.js';

/** The objects that a reflector follows. */
export interface Collection {
  /** What they are called, for the log. */
  readonly kind: string;
  readonly path: string;
  /** Which of them; all, where this is absent. */
  readonly labelSelector?: string;
  readonly accept: { readonly list: string; readonly object: string };
}

/** All objects of a kind of the fleet. */
export function allOf(kind: KindOfFamily): Collection {
  return {
    kind: kind.kind,
    path: collectionPath(kind),
    accept: { list: acceptFor(kind, 'list'), object: acceptFor(kind, 'object') },
  };
}

/** Where they are listed or watched. */
export function pathOf({ path, labelSelector }: Collection, query: string): string {
  const selector = labelSelector === undefined ? '' : `&labelSelector=${encodeURIComponent(labelSelector)}`;
  return `${path}?${query}${selector}`;
}

/**
 * Bindings are too many to watch (100,000 at 1,000 placements of 100 clusters); they are read when they are needed. Of
 * evictions only the one that is being made is judged.
 */
export const watchedKinds: readonly KindOfFamily[] = kinds.filter(
  ({ family }) => family !== 'Binding' && family !== 'Eviction',
);
