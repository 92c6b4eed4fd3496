import type { Facts } from '../fleet/facts.js';
import type { Family } from '../fleet/kinds.js';
import type { Path } from '../fleet/path.js';
import { moments, type Change, type Moment, type Operation } from './change.js';
import type { Policy } from './policy.js';

export type Severity = 'deny' | 'warn';

/** What a rule holds against a change: only what varies, the engine adds the rest. */
export interface Violation {
  readonly path: Path;
  /** Lower case, no full stop: the fact, the names and the values. */
  readonly message: string;
  /** A sentence, then lines to paste; the rule's own fix where this is absent. */
  readonly fix?: string;
  /** Softer than the rule itself. */
  readonly atMost?: 'warn';
  /** Set where time alone will heal it: the name of what is still settling, the same at every attempt. */
  readonly settling?: string;
}

/** Which writes a rule judges. `only` narrows further and is part of the documentation. */
export interface Target {
  readonly family: Family;
  readonly operations: readonly Operation[];
  readonly subresource?: 'status';
  readonly only?: Moment;
}

/** What a rule may look at beside the change. */
export interface Context {
  readonly facts: Facts;
  /** Milliseconds since 1970, as the caller's clock has it. */
  readonly now: number;
  readonly policy: Policy;
}

interface RuleOf<C> {
  /** Kebab-case, equal to the file name; a released id is never used for anything else. */
  readonly id: string;
  /** The law in at most 60 characters. */
  readonly title: string;
  readonly severity: Severity;
  readonly appliesTo: readonly Target[];
  /** Premises: where one of these rules says something, if only that it cannot tell, this one stays silent. */
  readonly after?: readonly string[];
  /** Families without which there is no verdict. */
  readonly reads: readonly Family[];
  /** Families that only enrich the message. */
  readonly mentions?: readonly Family[];
  /** `write`: the fault lies in the act, not in the object, so that an unchanged object does not excuse it. */
  readonly judges?: 'object' | 'write';
  /** What goes wrong in KubeFleet without it. */
  readonly why: string;
  /** One imperative sentence that ends with a full stop. */
  readonly fix: string;
  check(change: C, context: Context): Iterable<Violation>;
}

/** A rule as the engine holds it. */
export type Rule = RuleOf<Change>;

type ChangeFor<T extends Target> = T extends { family: infer F extends Family; operations: readonly (infer O)[] }
  ? Extract<Change<F>, { operation: O }>
  : never;

/** Makes a rule; `check` sees only changes that `appliesTo` names. */
export function defineRule<const T extends Target>(
  rule: Omit<RuleOf<ChangeFor<T>>, 'appliesTo'> & { readonly appliesTo: readonly T[] },
): Rule {
  return Object.freeze(rule);
}

/** Whether a rule judges a change at all. */
export function appliesTo(rule: Pick<Rule, 'appliesTo'>, change: Change): boolean {
  return rule.appliesTo.some(
    (target) =>
      target.family === change.family &&
      target.operations.includes(change.operation) &&
      target.subresource === change.subresource &&
      (target.only === undefined || moments[target.only](change)),
  );
}
