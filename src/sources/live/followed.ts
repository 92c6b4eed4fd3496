import type { KindOfFamily } from '../../fleet/kinds.js';
import { acceptFor, collectionPath } from './hub.js';

/** The objects that a reflector follows. */
export interface Followed {
  /** What they are called, for the log. */
  readonly kind: string;
  readonly path: string;
  /** Which of them; all, where this is absent. */
  readonly labelSelector?: string;
  readonly accept: { readonly list: string; readonly object: string };
  readonly pageSize: number;
}

/** A run of 100 clusters has 45 KB: pages of 500 would be 22 MB of JSON at once, and memory that grows for good. */
const pageSizes = { UpdateRun: 50, other: 500 } as const;

/** All objects of a kind of the fleet. */
export function allOf(kind: KindOfFamily): Followed {
  return {
    kind: kind.kind,
    path: collectionPath(kind),
    accept: { list: acceptFor(kind, 'list'), object: acceptFor(kind, 'object') },
    pageSize: kind.family === 'UpdateRun' ? pageSizes.UpdateRun : pageSizes.other,
  };
}

/** Where they are listed or watched. */
export function pathOf({ path, labelSelector }: Followed, query: string): string {
  const selector = labelSelector === undefined ? '' : `&labelSelector=${encodeURIComponent(labelSelector)}`;
  return `${path}?${query}${selector}`;
}
