import type { Rule, Target } from '../engine/rule.js';
import { kinds } from '../fleet/kinds.js';

/** Which kinds a target covers: both twins. */
function kindsOf({ family }: Target): string {
  return kinds
    .filter((kind) => kind.family === family)
    .map(({ kind }) => kind)
    .join(', ');
}

function writesOf({ operations, subresource, only }: Target): string {
  const what = operations.map((operation) => operation.toLowerCase()).join(', ');
  const where = subresource === undefined ? '' : ` of ${subresource}`;
  return `${what}${where}${only === undefined ? '' : `, when ${only}`}`;
}

/** The writes that a rule judges, one line for each set of kinds. */
export function appliesToLines(rule: Pick<Rule, 'appliesTo'>): readonly string[] {
  const byKinds = new Map<string, string[]>();
  for (const target of rule.appliesTo) {
    const covered = kindsOf(target);
    byKinds.set(covered, [...(byKinds.get(covered) ?? []), writesOf(target)]);
  }
  return [...byKinds].map(([covered, writes]) => `${covered}: ${writes.join('; ')}`);
}

/** The families a rule judges, for a table: `UpdateRun, UpdateStrategy`. */
export function familiesOf(rule: Pick<Rule, 'appliesTo'>): string {
  return [...new Set(rule.appliesTo.map(({ family }) => family))].join(', ');
}

/** The lines of a config file that make a rule milder: a deny rule warns, a warning goes away. */
export function softenLines({ id, severity }: Pick<Rule, 'id' | 'severity'>): readonly string[] {
  // Tools that read YAML 1.1 take an off without quotes for false.
  return ['rules:', `  ${id}: ${severity === 'deny' ? 'warn' : '"off"'}`];
}
