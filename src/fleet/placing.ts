import type { Dictionary, MemberCluster, Requirement, Stage } from './model.js';
import { matches, requirementsOf } from './selector.js';

/** Labels to set on a cluster, or to take away (undefined), so that exactly one stage selects it. */
export interface Placing {
  readonly stage: Stage;
  readonly labels: ReadonlyMap<string, string | undefined>;
}

/**
 * The smallest change of labels that puts a cluster into exactly one of the stages. Among equals the last stage wins: a
 * cluster that nobody thought of is best updated when all others have shown that the update works.
 */
export function placeInOneStage(cluster: MemberCluster, stages: readonly Stage[]): Placing | undefined {
  let best: Placing | undefined;
  for (const stage of stages) {
    const labels = labelsForOnly(stage, stages, cluster.metadata.labels);
    if (labels !== undefined && (best === undefined || labels.size <= best.labels.size)) best = { stage, labels };
  }
  return best;
}

function labelsForOnly(stage: Stage, stages: readonly Stage[], labels: Dictionary): Placing['labels'] | undefined {
  if (stage.labelSelector === undefined) return undefined;
  const changes = new Map<string, string | undefined>();
  const current = (): Dictionary => withLabels(labels, changes);
  for (const requirement of requirementsOf(stage.labelSelector)) {
    if (!matches(only(requirement), current())) changes.set(...meeting(requirement));
  }
  if (!matches(stage.labelSelector, current())) return undefined;
  for (const other of stages.filter((one) => one !== stage)) {
    const change = changeThatLeaves(other, stage, current());
    if (change === 'impossible') return undefined;
    if (change !== undefined) changes.set(...change);
  }
  const isAlone = stages.every((other) => matches(other.labelSelector, current()) === (other === stage));
  return isAlone ? changes : undefined;
}

type LabelChange = readonly [key: string, value: string | undefined];

/** A change after which `stage` no longer selects these labels while `kept` still does. */
function changeThatLeaves(stage: Stage, kept: Stage, labels: Dictionary): LabelChange | undefined | 'impossible' {
  if (stage.labelSelector === undefined || !matches(stage.labelSelector, labels)) return undefined;
  const found = requirementsOf(stage.labelSelector)
    .map(breaking)
    .find((change) => matches(kept.labelSelector, withLabels(labels, new Map([change]))));
  return found ?? 'impossible';
}

function only(requirement: Requirement): { matchLabels: Dictionary; matchExpressions: readonly Requirement[] } {
  return { matchLabels: {}, matchExpressions: [requirement] };
}

function meeting({ key, operator, values }: Requirement): [string, string | undefined] {
  if (operator === 'In') return [key, values[0]];
  return [key, operator === 'Exists' ? 'true' : undefined];
}

function breaking({ key, operator, values }: Requirement): LabelChange {
  if (operator === 'NotIn') return [key, values[0]];
  return [key, operator === 'DoesNotExist' ? 'true' : undefined];
}

function withLabels(labels: Dictionary, changes: ReadonlyMap<string, string | undefined>): Dictionary {
  const result = Object.assign(Object.create(null) as Record<string, string>, labels);
  for (const [key, value] of changes) {
    if (value === undefined) Reflect.deleteProperty(result, key);
    else result[key] = value;
  }
  return result;
}
