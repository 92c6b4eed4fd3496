import type { Edit } from '../fleet/edit.js';
import type { Facts } from '../fleet/facts.js';
import type { Family } from '../fleet/kinds.js';
import type { Families } from '../fleet/model.js';
import type { Path } from '../fleet/path.js';
import type { CelCondition } from './cel.js';
import { moments, type Change, type Moment, type Operation } from './change.js';
import type { Mode, Policy } from './policy.js';

/** What a rule that is not off comes to. Code over severities is a Record or a switch, so that none is forgotten. */
export type Severity = Exclude<Mode, 'off'>;

/** The hardest first. */
export const severityRank: Readonly<Record<Severity, number>> = { deny: 0, warn: 1, audit: 2 };

export function softer(one: Severity, other: Severity): Severity {
  return severityRank[one] < severityRank[other] ? other : one;
}

/** What a rule holds against a change: only what varies, the engine adds the rest. */
export interface Violation {
  readonly path: Path;
  /** Lower case, no full stop: the fact, the names and the values. */
  readonly message: string;
  /** A sentence, then lines to paste; the rule's own fix where this is absent. */
  readonly fix?: string;
  /** The fix for the text of a manifest, where there is one way to put it right. */
  readonly edit?: Edit;
  /** Softer than the rule itself. */
  readonly atMost?: Exclude<Severity, 'deny'>;
  /** In how many seconds it will have healed, where that is known and soon. */
  readonly healsInSeconds?: number;
  /** Set where time alone will heal it: the name of what is still settling, the same at every attempt. */
  readonly settling?: string;
}

/** Which writes a rule judges; none, where it judges what is stored. `only` narrows further and is part of the documentation. */
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
  /** Rules that must not refuse this one write. */
  readonly exempt?: ReadonlySet<string> | undefined;
}

/**
 * A rule in CEL, which the API server holds by itself while no guard answers: see docs/floor.md. Only rules that need
 * nothing but the write have one. It comes to the same verdict as `check`, for every write.
 */
export interface FloorForm {
  /** `gate`: in force at all times. `shape`: only while the guard is out of force. */
  readonly kind: 'gate' | 'shape';
  /** Asked before anything else: where it does not hold, another rule refuses and this one is silent. */
  readonly premise?: CelCondition;
  /** Which updates it judges, where the rule is narrowed to moments; without it these are left to the guard. */
  readonly updates?: string;
  /** Expressions that others name as `variables.<name>`. */
  readonly variables?: readonly CelCondition[];
  readonly validations: readonly FloorValidation[];
}

export interface FloorValidation {
  /** True where the write is sound; never fails. */
  readonly expression: string;
  /** What is wrong, and the fix in a sentence. */
  readonly message: string;
  /** Where it is, as an expression of a text; it stands before the message. Quotes only what the CRD bounds. */
  readonly where?: string;
  /** Of a gate: holds for the hub agent as well, and where nobody knows its name. */
  readonly forEveryone?: true;
}

/** Whatever speaks under an id of its own, as the catalogue has it. */
export interface Entry {
  /** Kebab-case, equal to the file name; a released id is never used for anything else. */
  readonly id: string;
  /** What it asks for, in at most 60 characters. */
  readonly title: string;
  readonly severity: Severity;
  readonly appliesTo: readonly Target[];
  /** What goes wrong in KubeFleet without it. */
  readonly why: string;
  /** One imperative sentence that ends with a full stop. */
  readonly fix: string;
}

interface RuleOf<C> extends Entry {
  /** Premises: where one of these rules says something, if only that it cannot tell, this one stays silent. */
  readonly after?: readonly string[];
  /** Families without which there is no verdict. */
  readonly reads: readonly Family[];
  /** Families that only enrich the message. */
  readonly mentions?: readonly Family[];
  /** `write`: the problem lies in the act, not in the object, so that an unchanged object does not excuse it. */
  readonly judges?: 'object' | 'write';
  readonly floor?: FloorForm;
  check(change: C, context: Context): Iterable<Violation>;
}

/** A rule as the engine holds it. */
export type Rule = RuleOf<Change>;

/** What only an audit can tell, of an object as it is stored. */
export interface StoredRule<F extends Family> extends Entry {
  check(object: Families[F], context: Pick<Context, 'facts' | 'now'>): Iterable<Violation>;
}

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
