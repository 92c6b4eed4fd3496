import type { Entry, Severity, Target } from '../../engine/rule.js';
import { kinds } from '../../fleet/kinds.js';
import { behaviours, newestRelease, type Behaviour } from '../../fleet/versions.js';

/** Which kinds a target covers: both twins. */
function kindsOf({ family }: Target): string {
  return kinds
    .filter((kind) => kind.family === family)
    .map(({ kind }) => kind)
    .join(', ');
}

function writesOf({ operations, subresource, only }: Target): string {
  if (operations.length === 0) return 'as it is stored, by `audit`';
  const what = operations.map((operation) => operation.toLowerCase()).join(', ');
  const where = subresource === undefined ? '' : ` of ${subresource}`;
  return `${what}${where}${only === undefined ? '' : `, when ${only}`}`;
}

/** The writes that a rule judges, one line for each set of kinds. */
export function appliesToLines(rule: Pick<Entry, 'appliesTo'>): readonly string[] {
  const byKinds = new Map<string, string[]>();
  for (const target of rule.appliesTo) {
    const covered = kindsOf(target);
    byKinds.set(covered, [...(byKinds.get(covered) ?? []), writesOf(target)]);
  }
  return [...byKinds].map(([covered, writes]) => `${covered}: ${writes.join('; ')}`);
}

/** The families a rule judges, for a table: `UpdateRun, UpdateStrategy`. */
export function familiesOf(rule: Pick<Entry, 'appliesTo'>): string {
  return [...new Set(rule.appliesTo.map(({ family }) => family))].join(', ');
}

/** Tools that read YAML 1.1 take an off without quotes for false. */
const milder: Readonly<Record<Severity, string>> = { deny: 'warn', warn: '"off"', audit: '"off"' };

/** The lines of a config file that make a rule milder: a deny rule warns, a warning goes away. */
export function softenLines({ id, severity }: Pick<Entry, 'id' | 'severity'>): readonly string[] {
  return ['rules:', `  ${id}: ${milder[severity]}`];
}

/** What of a rule depends on the version of KubeFleet, a sentence or two for each behaviour that it asks for. */
export function versionLines({ id }: Pick<Entry, 'id'>): readonly string[] {
  return Object.values(behaviours).flatMap(({ rules, since, what, upstream }: Behaviour) => {
    const asking = rules[id];
    if (asking === undefined) return [];
    const when =
      since === undefined
        ? `Wanted upstream (${upstreamText(upstream)}): ${what} On a version newer than ${newestRelease}`
        : `Since ${sinceText(since)}: ${what} Before that`;
    return [`${when} the rule ${asking.otherwise}.`];
  });
}

/** `kubefleet #733, #845`. */
export function upstreamText(numbers: readonly number[]): string {
  return `kubefleet #${numbers.join(', #')}`;
}

/** The main branch is what came after the newest release. */
export function sinceText(since: string): string {
  return since.startsWith('v') ? since : `${since}, after ${newestRelease}`;
}
