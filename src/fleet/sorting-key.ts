import type { Stage } from './model.js';
import { rankOf } from './plan.js';
import { isLabelKey, requirementsOf } from './selector.js';

/** Why the clusters of a stage cannot be sorted, whatever labels they have. */
export type SortingProblem =
  | { readonly why: 'no key' }
  | { readonly why: 'absent' }
  /** The values that the stage asks for under the key it sorts by, and that are no numbers. */
  | { readonly why: 'values'; readonly values: readonly string[]; readonly isAll: boolean };

/** KubeFleet updaterun/initialization.go computeRunStageStatus: every cluster of a stage has a whole number there. */
export function sortingProblem({ labelSelector, sortingLabelKey: key }: Stage): SortingProblem | undefined {
  // Without a selector the stage has no clusters to sort.
  if (key === undefined || labelSelector === undefined) return undefined;
  if (!isLabelKey(key)) return { why: 'no key' };
  const { matchLabels, matchExpressions } = labelSelector;
  if (matchLabels[key] === undefined && matchExpressions.every((requirement) => requirement.key !== key))
    return undefined;
  const asked = requirementsOf(labelSelector).filter((requirement) => requirement.key === key);
  if (asked.some(({ operator }) => operator === 'DoesNotExist')) return { why: 'absent' };
  const lists = asked.filter(({ operator }) => operator === 'In').map(({ values }) => new Set(values));
  const [first, ...others] = lists;
  if (first === undefined) return undefined;
  const excluded = new Set(asked.filter(({ operator }) => operator === 'NotIn').flatMap(({ values }) => values));
  const left = [...first].filter((value) => others.every((list) => list.has(value)) && !excluded.has(value));
  const values = left.filter((value) => rankOf({ [key]: value }, key) === undefined);
  return values.length === 0 ? undefined : { why: 'values', values, isAll: values.length === left.length };
}
