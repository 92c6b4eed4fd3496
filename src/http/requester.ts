import { fieldOf, isObject } from '../fleet/json.js';
import type { Requester } from '../guard/judge.js';

/** Who asks for a write, by the userInfo of the review. */
export function requesterOf(userInfo: unknown): Requester {
  const extra = fieldOf(userInfo, 'extra');
  return {
    user: textOf(fieldOf(userInfo, 'username')),
    uid: textOf(fieldOf(userInfo, 'uid')),
    groups: textsIn(fieldOf(userInfo, 'groups')),
    extra: isObject(extra)
      ? Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, textsIn(values)]))
      : {},
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textsIn(values: unknown): readonly string[] {
  return Array.isArray(values) ? values.filter((value) => typeof value === 'string') : [];
}
