import type { Family } from '../../../src/fleet/kinds.js';
import type { Answer, Api } from './api.js';
import { expectStored } from './hub.js';
import { pathOf, type Scope } from './paths.js';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
  readonly lastTransitionTime: string;
  readonly observedGeneration?: number;
}

/** What every stored object has. */
export interface Stored {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly generation: number;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
    readonly finalizers?: readonly string[];
  };
  readonly status?: object;
}

export async function listOf<T extends Stored = Stored>(
  api: Api,
  family: Family,
  scope: Scope,
  label = '',
): Promise<readonly T[]> {
  const query = label === '' ? '' : `?labelSelector=${encodeURIComponent(label)}`;
  const { items } = expectStored(await api.get(`${pathOf(family, scope)}${query}`)) as unknown as { items: T[] };
  return items;
}

/** Of a write that somebody else may have been faster with; any other refusal is an error. */
export function expectStoredOrOvertaken(answer: Answer): void {
  if (answer.status !== 404 && answer.status !== 409) expectStored(answer);
}

export function conditionNow(type: string, more: Partial<Condition> = {}): Condition {
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  return { type, status: 'True', reason: 'AsItShould', message: '', lastTransitionTime, ...more };
}

export function withCondition(conditions: readonly Condition[] | undefined, one: Condition): readonly Condition[] {
  return [...(conditions ?? []).filter(({ type }) => type !== one.type), one];
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
}
