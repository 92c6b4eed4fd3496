import type { Dictionary, LabelSelector, Requirement } from './model.js';
import type { Path } from './path.js';

/** The operators of apimachinery's LabelSelector; they are case-sensitive. */
export const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;
export type Operator = (typeof operators)[number];

/** What makes a selector unusable, and where in it. */
export interface SelectorFault {
  readonly path: Path;
  readonly message: string;
}

/** The conditions of a selector as one list; matchLabels are requirements of operator In. */
export function requirementsOf(selector: LabelSelector): readonly Requirement[] {
  const labels = Object.entries(selector.matchLabels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));
  return [...labels, ...selector.matchExpressions];
}

/** Whether a selector picks an object with these labels. Absent picks nothing, empty picks everything. */
export function matches(selector: LabelSelector | undefined, labels: Dictionary): boolean {
  return selector !== undefined && requirementsOf(selector).every((requirement) => meets(labels, requirement));
}

function meets(labels: Dictionary, { key, operator, values }: Requirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
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
      return values.length > 0
        ? []
        : [{ path: [...path, 'values'], message: `operator ${operator} needs at least one value` }];
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? []
        : [{ path: [...path, 'values'], message: `operator ${operator} takes no values, but has ${quoted(values)}` }];
    default:
      return [
        {
          path: [...path, 'operator'],
          message: `operator ${JSON.stringify(operator)} does not exist; there are ${operators.join(', ')}`,
        },
      ];
  }
}

function quoted(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(', ');
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
      message: `${JSON.stringify(key)} cannot be a label key (at most 63 of A-Z a-z 0-9 - _ . after an optional DNS prefix)`,
    },
  ];
}

function valueFaults(value: string, path: Path): readonly SelectorFault[] {
  if (isLabelValue(value)) return [];
  return [{ path, message: `${JSON.stringify(value)} cannot be a label value (at most 63 of A-Z a-z 0-9 - _ .)` }];
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
