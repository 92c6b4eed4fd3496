import type { Dictionary, LabelSelector, Requirement } from './model.js';
import { requirementsOf } from './selector.js';

/*
 * Which label sets two selectors have in common. A selector is a conjunction of requirements on single keys, and keys
 * are independent of each other, so two selectors overlap exactly if for every key some choice satisfies both.
 * All selectors here must be free of problems.
 */

/** What may stand under one key: nothing (`absent`), and these values, or all values but these. */
interface Choice {
  readonly absent: boolean;
  readonly values: ReadonlySet<string>;
  /** True if `values` are those that may not stand there. */
  readonly except: boolean;
}

const anything: Choice = { absent: true, values: new Set(), except: true };

/** All requirements on one key as one choice, in time linear to their length whatever they are. */
function choiceOf(requirements: readonly Requirement[]): Choice {
  const [only] = requirements;
  if (requirements.length === 1 && only?.operator === 'In') {
    return { absent: false, values: new Set(only.values), except: false };
  }
  const of = (operator: string): readonly Requirement[] => requirements.filter((each) => each.operator === operator);
  const [list, ...lists] = of('In').map(({ values }) => new Set(values));
  const absent = list === undefined && of('Exists').length === 0;
  const excluded = new Set(of('NotIn').flatMap(({ values }) => values));
  if (of('DoesNotExist').length > 0) return { absent, values: new Set(), except: false };
  if (list === undefined) return { absent, values: excluded, except: true };
  const values = [...list].filter((value) => !excluded.has(value) && lists.every((other) => other.has(value)));
  return { absent, values: new Set(values), except: false };
}

function both(a: Choice, b: Choice): Choice {
  if (a === anything) return b;
  if (b === anything) return a;
  const absent = a.absent && b.absent;
  if (a.except && b.except) return { absent, values: new Set([...a.values, ...b.values]), except: true };
  const [finite, other] = a.except ? [b, a] : [a, b];
  const values = [...finite.values].filter((value) => other.values.has(value) !== other.except);
  return { absent, values: new Set(values), except: false };
}

function opposite(choice: Choice): Choice {
  return { absent: !choice.absent, values: choice.values, except: !choice.except };
}

/** Label values are more than any list can hold, so "all but these" always leaves one. */
function isPossible(choice: Choice): boolean {
  return choice.absent || choice.except || choice.values.size > 0;
}

/** What a selector demands of each key that it names. */
export type Choices = ReadonlyMap<string, Choice>;

export function choicesOf(selector: LabelSelector): Choices {
  const byKey = new Map<string, Requirement[]>();
  for (const requirement of requirementsOf(selector)) {
    const others = byKey.get(requirement.key);
    if (others === undefined) byKey.set(requirement.key, [requirement]);
    else others.push(requirement);
  }
  return new Map([...byKey].map(([key, requirements]) => [key, choiceOf(requirements)]));
}

/** The first key for which no value, nor its absence, satisfies the selector; undefined if some labels satisfy it. */
export function impossibleKey(selector: LabelSelector): string | undefined {
  if (!asksTwice(selector)) return undefined;
  for (const [key, choice] of choicesOf(selector)) if (!isPossible(choice)) return key;
  return undefined;
}

/** Whether there is a key with more than one requirement; a single one is always possible. */
function asksTwice({ matchLabels, matchExpressions }: LabelSelector): boolean {
  const keys = new Set<string>();
  return matchExpressions.some(({ key }) => Object.hasOwn(matchLabels, key) || keys.size === keys.add(key).size);
}

/** Labels that two selectors both pick, as few as possible; undefined if the two are disjoint. */
export function commonLabels(a: Choices, b: Choices): Dictionary | undefined {
  const labels = Object.create(null) as Record<string, string>;
  for (const [key, choice] of a) if (!addCommon(labels, key, [choice, b.get(key) ?? anything])) return undefined;
  for (const [key, choice] of b) if (!a.has(key) && !addCommon(labels, key, [anything, choice])) return undefined;
  return labels;
}

/** False where no label under this key, nor its absence, is what both demand. */
function addCommon(labels: Record<string, string>, key: string, [one, other]: readonly [Choice, Choice]): boolean {
  if (one.absent && other.absent) return true;
  const value = commonValue(one, other);
  if (value !== undefined) labels[key] = value;
  return value !== undefined;
}

/** A value that both choices allow: asked for every pair of stages, so that no set is made for it. */
function commonValue(a: Choice, b: Choice): string | undefined {
  if (a.except && b.except) return valueOutside(a.values, b.values);
  const [finite, other] = a.except || (!b.except && b.values.size < a.values.size) ? [b, a] : [a, b];
  let first: string | undefined;
  for (const value of finite.values) {
    if (other.values.has(value) !== other.except && (first === undefined || value < first)) first = value;
  }
  return first;
}

/** `any`, or where that is taken the first number behind it that is free in sets which may hold thousands of them. */
function valueOutside(a: ReadonlySet<string>, b: ReadonlySet<string>): string {
  for (let count = 0; ; count++) {
    const value = count === 0 ? 'any' : `any${String(count)}`;
    if (!a.has(value) && !b.has(value)) return value;
  }
}

/**
 * Selectors that together pick what `from` picks and `without` does not, disjoint from each other. One by one, because
 * there can be as many as `without` has requirements and hardly anybody wants more than a few.
 */
export function* subtract(from: LabelSelector, without: LabelSelector): Iterable<LabelSelector> {
  if (impossibleKey(from) !== undefined) return;
  const before = choicesOf(from);
  const narrowed = new Map<string, Choice>();
  for (const [key, choice] of choicesOf(without)) {
    const mine = before.get(key) ?? anything;
    const outside = both(mine, opposite(choice));
    if (!isPossible(outside)) continue;
    for (const part of expressible(outside)) yield narrow(from, new Map([...narrowed, [key, part]]));
    const common = both(mine, choice);
    if (!isPossible(common)) return;
    narrowed.set(key, common);
  }
}

/** A choice as choices that requirements can say: "absent or one of these" takes two selectors. */
function expressible(choice: Choice): readonly Choice[] {
  if (!choice.absent || choice.except || choice.values.size === 0) return [choice];
  return [
    { ...choice, values: new Set() },
    { ...choice, absent: false },
  ];
}

/** A selector with other choices for some keys; the rest stays as its author wrote it. */
function narrow(selector: LabelSelector, choices: ReadonlyMap<string, Choice>): LabelSelector {
  const matchLabels = Object.create(null) as Record<string, string>;
  for (const [key, value] of Object.entries(selector.matchLabels)) if (!choices.has(key)) matchLabels[key] = value;
  const matchExpressions = selector.matchExpressions.filter(({ key }) => !choices.has(key));
  for (const [key, choice] of choices) {
    const [only = '', ...more] = choice.values;
    if (!choice.absent && !choice.except && more.length === 0) matchLabels[key] = only;
    else matchExpressions.push(...expressionsOf(key, choice));
  }
  return { matchLabels, matchExpressions };
}

function expressionsOf(key: string, choice: Choice): readonly Requirement[] {
  const values = [...choice.values].sort();
  if (!choice.except) return [{ key, operator: choice.absent ? 'DoesNotExist' : 'In', values }];
  const notIn = values.length > 0 ? [{ key, operator: 'NotIn', values }] : [];
  return choice.absent ? notIn : [{ key, operator: 'Exists', values: [] }, ...notIn];
}
