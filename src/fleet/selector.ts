import { likelyMeant, nearest } from './nearest.js';
import type { Dictionary, LabelSelector, Requirement } from './model.js';
import type { Path } from './path.js';
import { plain, quoted } from './quoted.js';

/** The operators of apimachinery's LabelSelector; they are case-sensitive. */
const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
export type Operator = (typeof operators)[number];

/** What makes a selector unusable, and where in it. */
export interface SelectorProblem {
  readonly path: Path;
  readonly message: string;
  /** One imperative sentence. */
  readonly fix: string;
}

/** The conditions of a selector as one list; matchLabels are requirements of operator In. */
export function requirementsOf(selector: LabelSelector): readonly Requirement[] {
  const labels = Object.entries(selector.matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return [...labels, ...selector.matchExpressions];
}

export function requirementCount({ matchLabels, matchExpressions }: LabelSelector): number {
  return Object.keys(matchLabels).length + matchExpressions.length;
}

/** Whether a selector picks an object with these labels. Absent picks nothing, empty picks everything. */
export function matches(selector: LabelSelector | undefined, labels: Dictionary): boolean {
  if (selector === undefined) return false;
  for (const key in selector.matchLabels) if (valueOf(labels, key) !== selector.matchLabels[key]) return false;
  return selector.matchExpressions.every(({ key, operator, values }) =>
    meets(labels, { key, operator, has: (value) => values.includes(value) }),
  );
}

/**
 * The same question for many objects. A selector may hold thousands of values, and a fleet thousands of clusters: then
 * the values are better looked up than compared one by one.
 */
export function matcherOf(selector: LabelSelector | undefined): (labels: Dictionary) => boolean {
  if (selector === undefined) return () => false;
  const tests = selector.matchExpressions.map(({ key, operator, values }) => {
    const known = new Set(values);
    return { key, operator, has: (value: string) => known.has(value) };
  });
  return testing(Object.entries(selector.matchLabels), tests);
}

function testing(pairs: readonly [string, string][], tests: readonly Test[]): (labels: Dictionary) => boolean {
  return (labels) =>
    pairs.every(([key, value]) => valueOf(labels, key) === value) && tests.every((test) => meets(labels, test));
}

function valueOf(labels: Dictionary, key: string): string | undefined {
  // What every object inherits is no text; to ask whether the label is the object's own takes twice as long.
  const value: unknown = labels[key];
  return typeof value === 'string' ? value : undefined;
}

interface Test {
  readonly key: string;
  readonly operator: string;
  readonly has: (value: string) => boolean;
}

function meets(labels: Dictionary, { key, operator, has }: Test): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && has(value);
    case 'NotIn':
      return value === undefined || !has(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/**
 * Everything that apimachinery's LabelSelectorAsSelector would refuse, not only the first; found as far as somebody asks
 * on, because there can be as many problems as values.
 */
export function* selectorProblems(selector: LabelSelector): Generator<SelectorProblem, void> {
  const { matchLabels, matchExpressions } = selector;
  for (const key of Object.keys(matchLabels)) {
    const value = matchLabels[key] ?? '';
    if (!isLabelKey(key)) yield keyProblem(key, ['matchLabels', key]);
    if (!isLabelValue(value)) yield valueProblem(value, ['matchLabels', key]);
  }
  for (const [index, { key, operator, values }] of matchExpressions.entries()) {
    const path = ['matchExpressions', index];
    if (!isLabelKey(key)) yield keyProblem(key, [...path, 'key']);
    const problem = operatorProblem(operator, values, path);
    if (problem !== undefined) yield problem;
    for (const [at, value] of values.entries()) {
      if (!isLabelValue(value)) yield valueProblem(value, [...path, 'values', at]);
    }
  }
}

/** Whether there is nothing that apimachinery would refuse. */
export function isSound(selector: LabelSelector): boolean {
  return selectorProblems(selector).next().done === true;
}

function operatorProblem(operator: string, values: readonly string[], path: Path): SelectorProblem | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return undefined;
      return {
        path: [...path, 'values'],
        message: `operator ${operator} needs at least one value`,
        fix: `Add the values, or use operator ${operator === 'In' ? 'Exists' : 'DoesNotExist'} without values.`,
      };
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return undefined;
      return {
        path: [...path, 'values'],
        message: `operator ${operator} must have no values, but has ${firstOf(values)}`,
        fix: `Remove the values, or use operator ${operator === 'Exists' ? 'In' : 'NotIn'} with them.`,
      };
    default:
      return unknownOperator(operator, [...path, 'operator']);
  }
}

function unknownOperator(operator: string, path: Path): SelectorProblem {
  const meant = nearest(operator, operators) ?? likelyMeant(operator, operators);
  const isCase = meant?.toLowerCase() === operator.toLowerCase();
  return {
    path,
    message:
      operator === '' ? 'operator is missing' : `operator ${quoted(operator)} is not one of ${operators.join(', ')}`,
    fix:
      meant === undefined
        ? 'Use In or NotIn with a list of values, or Exists or DoesNotExist without values.'
        : isCase
          ? `Write ${meant}, with these capital letters.`
          : `Write ${meant}.`,
  };
}

function firstOf(values: readonly string[]): string {
  const [first = '', ...more] = values;
  return more.length === 0 ? brief(first) : `${brief(first)} and ${String(more.length)} more`;
}

const name = '[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const dnsLabel = '[a-z0-9](?:[-a-z0-9]*[a-z0-9])?';

/** As regular expressions that JavaScript and the API server read alike; the prefix has a length of its own. */
export const labelKeyPattern = `^(?:${dnsLabel}(?:\\.${dnsLabel})*/)?${name}$`;
export const labelValuePattern = `^${name}$`;

const keySyntax = new RegExp(labelKeyPattern);
const valueSyntax = new RegExp(labelValuePattern);

/** Kubernetes' limits: 63 characters for a label's name and value, 253 for the DNS prefix of its key. */
export const longestName = 63;
export const longestPrefix = 253;
export const longestKey = longestPrefix + 1 + longestName;

/** Whether a text can be the key of a label: an optional DNS prefix and a slash, then a name. */
export function isLabelKey(key: string): boolean {
  return key.length <= longestKey && key.indexOf('/') <= longestPrefix && keySyntax.test(key);
}

/** Whether a text can be the value of a label; the empty text can. */
export function isLabelValue(value: string): boolean {
  return value === '' || (value.length <= longestName && valueSyntax.test(value));
}

function keyProblem(key: string, path: Path): SelectorProblem {
  return {
    path,
    message: key === '' ? 'a label key must not be empty' : `${brief(key)} cannot be a label key`,
    fix: `Use at most ${String(longestName)} of A-Z a-z 0-9 - _ . that begin and end with a letter or digit; a lower-case DNS name and a slash may stand before them.`,
  };
}

function valueProblem(value: string, path: Path): SelectorProblem {
  return {
    path,
    message: `${brief(value)} cannot be a label value`,
    fix: `Use at most ${String(longestName)} of A-Z a-z 0-9 - _ . that begin and end with a letter or digit.`,
  };
}

/** A text in quotes; of one that is far too long the beginning and the length. */
function brief(text: string): string {
  if (text.length <= longestName) return quoted(text);
  return `${quoted(text.slice(0, longestName))}... (${String(text.length)} characters)`;
}

/** A selector in kubectl's own short form: `env in (a,b),!legacy`. */
export function formatSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nothing';
  const parts = requirementsOf(selector).map(({ key, operator, values }) => {
    const [first = ''] = values;
    const name = plain(key);
    if (operator === 'Exists') return name;
    if (operator === 'DoesNotExist') return `!${name}`;
    if (operator === 'In' && values.length === 1) return `${name}=${plain(first)}`;
    return `${name} ${plain(operator.toLowerCase())} (${values.map(plain).join(',')})`;
  });
  return parts.length === 0 ? 'every cluster' : parts.join(',');
}

/** A selector as it stands on the wire, without empty parts. */
export function selectorJson({ matchLabels, matchExpressions }: LabelSelector): Readonly<Record<string, unknown>> {
  const expressions = matchExpressions.map(({ key, operator, values }) =>
    values.length === 0 ? { key, operator } : { key, operator, values },
  );
  return {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(expressions.length > 0 && { matchExpressions: expressions }),
  };
}
