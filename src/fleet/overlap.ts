import type { Dictionary, LabelSelector, Requirement } from './model.js';
import { requirementsOf } from './selector.js';

/*
 * Which label sets two selectors have in common. A selector is a conjunction of requirements on single keys, and keys
 * are independent of each other, so two selectors overlap exactly if for every key some choice satisfies both.
 */

/** What may stand under one key: nothing (`absent`), and these values, or all values but these. */
interface Choice {
  readonly absent: boolean;
  readonly values: ReadonlySet<string>;
  /** True if `values` are those that may not stand there. */
  readonly except: boolean;
}

const anything: Choice = { absent: true, values: new Set(), except: true };

function choiceOf({ operator, values }: Requirement): Choice {
  const set = new Set(values);
  switch (operator) {
    case 'In':
      return { absent: false, values: set, except: false };
    case 'NotIn':
      return { absent: true, values: set, except: true };
    case 'Exists':
      return { absent: false, values: new Set(), except: true };
    default:
      return { absent: true, values: new Set(), except: false };
  }
}

function both(a: Choice, b: Choice): Choice {
  const absent = a.absent && b.absent;
  if (a.except && b.except) return { absent, values: new Set([...a.values, ...b.values]), except: true };
  const [finite, other] = a.except ? [b, a] : [a, b];
  const values = [...finite.values].filter((value) => other.values.has(value) !== other.except);
  return { absent, values: new Set(values), except: false };
}

/** Label values are more than any list can hold, so "all but these" always leaves one. */
function isPossible(choice: Choice): boolean {
  return choice.absent || choice.except || choice.values.size > 0;
}

function choicesOf(requirements: readonly Requirement[]): ReadonlyMap<string, Choice> {
  const choices = new Map<string, Choice>();
  for (const requirement of requirements) {
    const before = choices.get(requirement.key) ?? anything;
    choices.set(requirement.key, both(before, choiceOf(requirement)));
  }
  return choices;
}

/** Labels that satisfy all of the requirements, as few as possible; undefined if no labels do. */
function satisfy(requirements: readonly Requirement[]): Dictionary | undefined {
  const labels = Object.create(null) as Record<string, string>;
  for (const [key, choice] of choicesOf(requirements)) {
    if (!isPossible(choice)) return undefined;
    if (!choice.absent) labels[key] = exampleOf(choice);
  }
  return labels;
}

function exampleOf(choice: Choice): string {
  if (!choice.except) return [...choice.values].sort()[0] ?? '';
  for (let count = 0; ; count++) {
    const value = count === 0 ? 'any' : `any${String(count)}`;
    if (!choice.values.has(value)) return value;
  }
}

/** Whether any labels at all satisfy a selector. */
export function isSatisfiable(selector: LabelSelector): boolean {
  return satisfy(requirementsOf(selector)) !== undefined;
}

/** Labels that both selectors pick; undefined if the two are disjoint. Both must be free of faults. */
export function commonLabels(a: LabelSelector, b: LabelSelector): Dictionary | undefined {
  return satisfy([...requirementsOf(a), ...requirementsOf(b)]);
}

/** Selectors that together pick what `from` picks and `without` does not, disjoint from each other. */
export function subtract(from: LabelSelector, without: LabelSelector): readonly LabelSelector[] {
  const base = requirementsOf(from);
  const parts: LabelSelector[] = [];
  const met: Requirement[] = [];
  for (const requirement of requirementsOf(without)) {
    const rest = [...base, ...met];
    if (implies(rest, requirement)) continue;
    const extra = [...met, negate(requirement)];
    if (satisfy([...base, ...extra]) !== undefined) parts.push(narrow(from, extra));
    met.push(requirement);
  }
  return parts;
}

const opposites: Readonly<Record<string, string>> = {
  In: 'NotIn',
  NotIn: 'In',
  Exists: 'DoesNotExist',
  DoesNotExist: 'Exists',
};

function negate(requirement: Requirement): Requirement {
  return { ...requirement, operator: opposites[requirement.operator] ?? requirement.operator };
}

function implies(premises: readonly Requirement[], conclusion: Requirement): boolean {
  return satisfy([...premises, negate(conclusion)]) === undefined;
}

/** Adds requirements to a selector, in the shortest form: a key left with few values becomes one In. */
function narrow(selector: LabelSelector, extra: readonly Requirement[]): LabelSelector {
  const touched = new Set(extra.map(({ key }) => key));
  const all = [...requirementsOf(selector), ...extra];
  const added = [...touched].flatMap((key) =>
    shortest(
      key,
      all.filter((requirement) => requirement.key === key),
    ),
  );
  const matchLabels = Object.create(null) as Record<string, string>;
  for (const [key, value] of Object.entries(selector.matchLabels)) if (!touched.has(key)) matchLabels[key] = value;
  const kept = selector.matchExpressions.filter(({ key }) => !touched.has(key));
  return { matchLabels, matchExpressions: [...kept, ...added] };
}

function shortest(key: string, requirements: readonly Requirement[]): readonly Requirement[] {
  const choice = requirements.map(choiceOf).reduce(both, anything);
  const values = [...choice.values].sort();
  if (choice.except) {
    const notIn = values.length > 0 ? [{ key, operator: 'NotIn', values }] : [];
    return choice.absent ? notIn : [{ key, operator: 'Exists', values: [] }, ...notIn];
  }
  if (choice.absent) return [{ key, operator: 'DoesNotExist', values: [] }];
  return [{ key, operator: 'In', values }];
}
