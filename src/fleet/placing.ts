import type { Dictionary, MemberCluster, Stage } from './model.js';
import { isReadable, isSettable, rankOf, type PlannedStage } from './plan.js';
import { matcherOf, requirementsOf } from './selector.js';

/** Labels to set on a cluster, or to take away (undefined), so that exactly one stage selects it and can sort it. */
export interface Placing {
  readonly stage: Stage;
  readonly labels: ReadonlyMap<string, string | undefined>;
}

type LabelChange = readonly [key: string, value: string | undefined];

interface Selecting extends PlannedStage {
  readonly selects: (labels: Dictionary) => boolean;
}

/** What there is to choose from: the stages, and for each key they name what may become of that label. */
interface Choices {
  readonly stages: readonly Selecting[];
  readonly changes: ReadonlyMap<string, readonly LabelChange[]>;
}

/**
 * Finds the smallest change of labels that puts a cluster into exactly one of the stages. Among equals the last stage
 * wins, and in a sorted stage the last place: a cluster that nobody thought of is best updated when all others have
 * shown that the update works.
 */
export function placerFor(all: readonly PlannedStage[]): (cluster: MemberCluster) => Placing | undefined {
  const stages = all
    .filter(({ stage }) => isReadable(stage))
    .map((planned) => ({ ...planned, selects: matcherOf(planned.stage.labelSelector) }));
  const choices = { stages, changes: changesByKey(stages) };
  return ({ metadata }) => {
    let best: Placing | undefined;
    for (const planned of stages) {
      const labels = labelsForOnly(planned, choices, metadata.labels);
      if (labels === undefined || (best !== undefined && labels.size > best.labels.size)) continue;
      best = { stage: planned.stage, labels };
    }
    return best;
  };
}

/** A label goes, takes a value that some selector names, or one that none is likely to. */
function changesByKey(stages: readonly PlannedStage[]): Choices['changes'] {
  const values = new Map<string, Set<string | undefined>>();
  for (const { key, values: named } of stages.flatMap(({ stage }) => requirements(stage))) {
    const known = values.get(key) ?? new Set([undefined]);
    for (const value of named) known.add(value);
    values.set(key, known);
  }
  return new Map(
    [...values].map(([key, known]) => [key, [...known, 'true', 'other'].map((value): LabelChange => [key, value])]),
  );
}

function requirements({ labelSelector }: Stage): ReturnType<typeof requirementsOf> {
  return labelSelector ? requirementsOf(labelSelector) : [];
}

function labelsForOnly(
  { stage, nextRank, selects }: Selecting,
  { stages, changes: possible }: Choices,
  labels: Dictionary,
): Placing['labels'] | undefined {
  const changes = new Map(changesThatEnter(stage, possible, labels));
  const current = (): Dictionary => withLabels(labels, changes);
  for (const other of stages) {
    if (other.stage === stage || !other.selects(current())) continue;
    const change = leaving(other.stage, possible).find((each) => {
      const after = withLabels(current(), [each]);
      return selects(after) && !other.selects(after);
    });
    if (change !== undefined) changes.set(...change);
  }
  if (!isSortable(stage, current())) changes.set(stage.sortingLabelKey ?? '', nextRank);
  // Each step above may undo another; what counts is where all of them lead.
  const isAlone = stages.every((other) => other.selects(current()) === (other.stage === stage));
  return isAlone && isSortable(stage, current()) && [...changes.keys()].every(isSettable) ? changes : undefined;
}

function isSortable({ sortingLabelKey: key }: Stage, labels: Dictionary): boolean {
  return key === undefined || rankOf(labels, key) !== undefined;
}

/** For each key that keeps a stage from selecting these labels, the first change that helps. */
function changesThatEnter(stage: Stage, possible: Choices['changes'], labels: Dictionary): readonly LabelChange[] {
  const keys = new Set(requirements(stage).map(({ key }) => key));
  return [...keys].flatMap((key) => {
    const ofKey = requirements(stage).filter((each) => each.key === key);
    const suits = matcherOf({ matchLabels: {}, matchExpressions: ofKey });
    if (suits(labels)) return [];
    const own = ofKey.flatMap(({ values }) => values.map((value): LabelChange => [key, value]));
    const entering = [...own, ...(possible.get(key) ?? [])].find((each) => suits(withLabels(labels, [each])));
    return entering === undefined ? [] : [entering];
  });
}

function leaving(stage: Stage, possible: Choices['changes']): readonly LabelChange[] {
  return requirements(stage)
    .filter(({ key }) => isSettable(key))
    .flatMap(({ key }) => possible.get(key) ?? []);
}

function withLabels(labels: Dictionary, changes: Iterable<LabelChange>): Dictionary {
  const result = Object.assign(Object.create(null) as Record<string, string>, labels);
  for (const [key, value] of changes) {
    if (value === undefined) Reflect.deleteProperty(result, key);
    else result[key] = value;
  }
  return result;
}
