import type { Dictionary, MemberCluster, Requirement, Stage } from './model.js';
import { isReadable, isSettable, rankOf, type PlannedStage } from './plan.js';
import { matcherOf, requirementsOf } from './selector.js';

/** Labels to set on a cluster, or to take away (undefined), so that exactly one stage selects it and can sort it. */
export interface StageLabels {
  readonly stage: Stage;
  readonly labels: ReadonlyMap<string, string | undefined>;
}

type LabelChange = readonly [key: string, value: string | undefined];

interface Selecting extends PlannedStage {
  readonly selects: (labels: Dictionary) => boolean;
  /** What the stage demands of each key that it names. */
  readonly demands: ReadonlyMap<string, Demand>;
}

interface Demand {
  readonly isMet: (labels: Dictionary) => boolean;
  /** Values that the stage itself names for the key. */
  readonly named: readonly LabelChange[];
}

/**
 * What there is to choose from: the stages, and for each key they name what may become of that label. A strategy can be
 * written so that the search never ends: `effort` is what is left of it, in labels that are looked at.
 */
interface Search {
  readonly stages: readonly Selecting[];
  readonly changes: ReadonlyMap<string, readonly LabelChange[]>;
  effort: number;
}

/** Many times what it takes for a strategy that people write. */
const mostEffort = 50_000;

/** What a try takes beside the labels. */
const tryEffort = 10;

/**
 * Finds the smallest change of labels that puts a cluster into exactly one of the stages. Among equals the last stage
 * wins, and in a sorted stage the last place: a cluster that nobody thought of is best updated when all others have
 * shown that the update works.
 */
export function stageLabelsFinder(all: readonly PlannedStage[]): (cluster: MemberCluster) => StageLabels | undefined {
  const stages = all
    .filter(({ stage }) => isReadable(stage))
    .map((planned) => ({
      ...planned,
      selects: matcherOf(planned.stage.labelSelector),
      demands: demandsOf(planned.stage),
    }));
  const search = { stages, changes: changesByKey(stages), effort: mostEffort };
  const keys = new Set([...search.changes.keys(), ...stages.flatMap(({ stage }) => stage.sortingLabelKey ?? [])]);
  const found = new Map<string, StageLabels | undefined>();
  // Clusters that look alike to all stages are placed alike.
  return ({ metadata }) => {
    const labels = withLabels(
      {},
      [...keys].filter((key) => Object.hasOwn(metadata.labels, key)).map((key) => [key, metadata.labels[key]]),
    );
    const look = JSON.stringify(labels);
    if (!found.has(look)) found.set(look, stageLabelsFor(labels, search));
    return found.get(look);
  };
}

function stageLabelsFor(labels: Dictionary, search: Search): StageLabels | undefined {
  let best: StageLabels | undefined;
  for (const planned of search.stages) {
    const changes = labelsForOnly(planned, search, labels);
    if (search.effort <= 0) return undefined;
    if (changes === undefined || (best !== undefined && changes.size > best.labels.size)) continue;
    best = { stage: planned.stage, labels: changes };
  }
  return best;
}

function demandsOf(stage: Stage): Selecting['demands'] {
  const byKey = new Map<string, Requirement[]>();
  for (const requirement of requirements(stage)) {
    byKey.set(requirement.key, [...(byKey.get(requirement.key) ?? []), requirement]);
  }
  return new Map(
    [...byKey].map(([key, ofKey]) => [
      key,
      {
        isMet: matcherOf({ matchLabels: {}, matchExpressions: ofKey }),
        named: ofKey.flatMap(({ values }) => values.map((value): LabelChange => [key, value])),
      },
    ]),
  );
}

/** A label goes, takes a value that some selector names, or one that none is likely to. */
function changesByKey(stages: readonly PlannedStage[]): Search['changes'] {
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

function labelsForOnly(planned: Selecting, search: Search, labels: Dictionary): StageLabels['labels'] | undefined {
  const { stage, nextRank, selects } = planned;
  const changes = new Map(changesThatEnter(planned, search, labels));
  const current = (): Dictionary => withLabels(labels, changes);
  for (const other of search.stages) {
    if (other.stage === stage || !other.selects(current())) continue;
    const change = firstThat(leaving(other, search), search, (each) => {
      const after = withLabels(labels, [...changes, each]);
      return selects(after) && !other.selects(after);
    });
    if (change !== undefined) changes.set(...change);
  }
  if (!isSortable(stage, current())) changes.set(stage.sortingLabelKey ?? '', nextRank);
  // Each step above may undo another; what counts is where all of them lead.
  const final = current();
  search.effort -= search.changes.size * search.stages.length;
  const isAlone = search.stages.every((other) => other.selects(final) === (other.stage === stage));
  return isAlone && isSortable(stage, final) && [...changes.keys()].every(isSettable) ? changes : undefined;
}

/** The first of some changes that helps, as far as there is effort left to find it. */
function firstThat(
  changes: Iterable<LabelChange>,
  search: Search,
  helps: (change: LabelChange) => boolean,
): LabelChange | undefined {
  for (const change of changes) {
    search.effort -= tryEffort + search.changes.size;
    if (search.effort <= 0) return undefined;
    if (helps(change)) return change;
  }
  return undefined;
}

function isSortable({ sortingLabelKey: key }: Stage, labels: Dictionary): boolean {
  return key === undefined || rankOf(labels, key) !== undefined;
}

/** For each key that keeps a stage from selecting these labels, the first change that helps. */
function changesThatEnter({ demands }: Selecting, search: Search, labels: Dictionary): readonly LabelChange[] {
  return [...demands].flatMap(([key, { isMet, named }]) => {
    if (isMet(labels)) return [];
    const possible = [...named, ...(search.changes.get(key) ?? [])];
    const entering = firstThat(possible, search, (each) => isMet(withLabels({}, [each])));
    return entering === undefined ? [] : [entering];
  });
}

function* leaving({ demands }: Selecting, { changes }: Search): Iterable<LabelChange> {
  for (const key of demands.keys()) if (isSettable(key)) yield* changes.get(key) ?? [];
}

function withLabels(labels: Dictionary, changes: Iterable<LabelChange>): Dictionary {
  const result = Object.assign(Object.create(null) as Record<string, string>, labels);
  for (const [key, value] of changes) {
    if (value === undefined) Reflect.deleteProperty(result, key);
    else result[key] = value;
  }
  return result;
}
