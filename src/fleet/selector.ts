import type { Dictionary, LabelSelector, Requirement } from './model.js';
import type { Path } from './path.js';

/** The operators of apimachinery's LabelSelector; they are case-sensitive. */
export const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
export type Operator = (typeof operators)[number];

/** What makes a selector unusable, and where in it. */
export interface SelectorFault {
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

/** Whether a selector picks an object with these labels. Absent picks nothing, empty picks everything. */
export function matches(selector: LabelSelector | undefined, labels: Dictionary): boolean {
  return matcherOf(selector)(labels);
}

/**
 * The same question for many objects. A selector may hold thousands of values, and a fleet thousands of clusters: then
 * the values are better looked up than compared one by one.
 */
export function matcherOf(selector: LabelSelector | undefined): (labels: Dictionary) => boolean {
  if (selector === undefined) return () => false;
  const pairs = Object.entries(selector.matchLabels);
  const tests = selector.matchExpressions.map(({ key, operator, values }) => ({
    key,
    operator,
    values: new Set(values),
  }));
  return (labels) =>
    pairs.every(([key, value]) => valueOf(labels, key) === value) && tests.every((test) => meets(labels, test));
}

function valueOf(labels: Dictionary, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}

interface Test {
  readonly key: string;
  readonly operator: string;
  readonly values: ReadonlySet<string>;
}

function meets(labels: Dictionary, { key, operator, values }: Test): boolean {
  const value = valueOf(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.has(value);
    case 'NotIn':
      return value === undefined || !values.has(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    default:
      return false;
  }
}

/** Everything that apimachinery's LabelSelectorAsSelector would refuse, not only the first. */
export function selectorFaults(selector: LabelSelector): readonly SelectorFault[] {
  const inLabels = Object.entries(selector.matchLabels).flatMap(([key, value]) => {
    const path = ['matchLabels', key];
    return [...keyFaults(key, path), ...valueFaults(value, path)];
  });
  const inExpressions = selector.matchExpressions.flatMap((requirement, index) =>
    requirementFaults(requirement, ['matchExpressions', index]),
  );
  return [...inLabels, ...inExpressions];
}

function requirementFaults({ key, operator, values }: Requirement, path: Path): readonly SelectorFault[] {
  return [
    ...keyFaults(key, [...path, 'key']),
    ...operatorFaults(operator, values, path),
    ...values.flatMap((value, index) => valueFaults(value, [...path, 'values', index])),
  ];
}

function operatorFaults(operator: string, values: readonly string[], path: Path): readonly SelectorFault[] {
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (values.length > 0) return [];
      return [
        {
          path: [...path, 'values'],
          message: `operator ${operator} needs at least one value`,
          fix: `List the values, or use operator ${operator === 'In' ? 'Exists' : 'DoesNotExist'} without any.`,
        },
      ];
    case 'Exists':
    case 'DoesNotExist':
      if (values.length === 0) return [];
      return [
        {
          path: [...path, 'values'],
          message: `operator ${operator} takes no values, but has ${quoted(values)}`,
          fix: `Remove the values, or use operator ${operator === 'Exists' ? 'In' : 'NotIn'} with them.`,
        },
      ];
    default:
      return [unknownOperator(operator, [...path, 'operator'])];
  }
}

function unknownOperator(operator: string, path: Path): SelectorFault {
  const meant = operators.find((known) => known.toLowerCase() === operator.toLowerCase());
  return {
    path,
    message:
      operator === ''
        ? 'operator is missing'
        : `operator ${JSON.stringify(operator)} is not one of ${operators.join(', ')}`,
    fix: meant === undefined ? `Use one of ${operators.join(', ')}.` : `Write ${meant}, with just these capitals.`,
  };
}

function quoted(values: readonly string[]): string {
  const [first = '', ...more] = values;
  return more.length === 0 ? brief(first) : `${brief(first)} and ${String(more.length)} more`;
}

const nameSyntax = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const prefixSyntax = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Kubernetes' limits: 63 characters for a label's name and value, 253 for the DNS prefix of its key. */
const longestName = 63;
const longestPrefix = 253;

/** Whether a text can be the key of a label: an optional DNS prefix and a slash, then a name. */
export function isLabelKey(key: string): boolean {
  const [first = '', second, ...more] = key.split('/');
  if (more.length > 0) return false;
  if (second === undefined) return isLabelName(first);
  return first.length <= longestPrefix && prefixSyntax.test(first) && isLabelName(second);
}

/** Whether a text can be the value of a label; the empty text can. */
export function isLabelValue(value: string): boolean {
  return value === '' || isLabelName(value);
}

function isLabelName(name: string): boolean {
  return name.length <= longestName && nameSyntax.test(name);
}

function keyFaults(key: string, path: Path): readonly SelectorFault[] {
  if (isLabelKey(key)) return [];
  return [
    {
      path,
      message: key === '' ? 'a label key must not be empty' : `${brief(key)} cannot be a label key`,
      fix: `Use at most ${String(longestName)} of A-Z a-z 0-9 - _ . that begin and end with a letter or digit, where wanted after a lower case DNS name and a slash.`,
    },
  ];
}

function valueFaults(value: string, path: Path): readonly SelectorFault[] {
  if (isLabelValue(value)) return [];
  return [
    {
      path,
      message: `${brief(value)} cannot be a label value`,
      fix: `Use at most ${String(longestName)} of A-Z a-z 0-9 - _ . that begin and end with a letter or digit.`,
    },
  ];
}

/** A text in quotes; of one that is far too long the beginning and the length. */
function brief(text: string): string {
  if (text.length <= longestName) return JSON.stringify(text);
  return `${JSON.stringify(text.slice(0, longestName))}... (${String(text.length)} characters)`;
}

/** A selector in kubectl's own short form: `env in (a,b),!legacy`. */
export function formatSelector(selector: LabelSelector | undefined): string {
  if (selector === undefined) return 'nothing';
  const parts = requirementsOf(selector).map(({ key, operator, values }) => {
    const [first = ''] = values;
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    if (operator === 'In' && values.length === 1) return `${key}=${first}`;
    return `${key} ${operator.toLowerCase()} (${values.join(',')})`;
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
