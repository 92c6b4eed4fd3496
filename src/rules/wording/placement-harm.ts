import type { Path } from '../../fleet/path.js';
import type { PlacementChange } from '../../fleet/placement-changes.js';
import { plain, quoted } from '../../fleet/quoted.js';
import { count } from '../../engine/message.js';

/** What can happen to the placement of a run. */
export type Harm =
  | PlacementChange
  | { readonly what: 'deletion' }
  | { readonly what: 'owner'; readonly kind: string; readonly name: string };

const texts: { [W in Harm['what']]: (harm: Extract<Harm, { what: W }>) => string } = {
  deletion: () => 'the placement would be gone',
  owner: ({ kind, name }) =>
    `garbage collection would delete the placement as soon as its new owner ${plain(kind)} ${quoted(name)} is gone`,
  type: ({ now }) => `the strategy type of the placement would be ${plain(now)}, not External`,
  policy: ({ isFirst }) =>
    isFirst
      ? 'the placement would get a policy (even one that only writes out the default counts as a change)'
      : 'the policy of the placement would change',
  'cluster count': ({ before, now }) =>
    `the placement would ask for ${count(now, 'cluster')} instead of ${String(before)}`,
  'apply strategy': () => 'the applyStrategy of the placement would change',
};

/** How a harm completes the sentence "the run would be aborted: ...". */
export function harmText(harm: Harm): string {
  return (texts[harm.what] as (harm: Harm) => string)(harm);
}

const paths: { readonly [W in Harm['what']]: Path } = {
  deletion: [],
  owner: ['metadata', 'ownerReferences'],
  type: ['spec', 'strategy', 'type'],
  policy: ['spec', 'policy'],
  'cluster count': ['spec', 'policy', 'numberOfClusters'],
  'apply strategy': ['spec', 'strategy', 'applyStrategy'],
};

/** Where in the placement it lies. */
export function harmPath({ what }: Harm): Path {
  return paths[what];
}
