import { inOrder } from './in-order.js';
import type { Dictionary, MemberCluster, Stage } from './model.js';
import { isLabelKey, isSound, matcherOf, requirementsOf } from './selector.js';

/** A stage with its clusters in the order of their update. */
export interface PlannedStage {
  readonly stage: Stage;
  readonly clusters: readonly string[];
  /** A value of the sorting label that comes after those of all clusters, if the label is free for numbers. */
  readonly nextRank?: string;
}

/** A cluster whose place in its stage cannot be told. */
export interface Unsortable {
  readonly cluster: string;
  readonly stage: string;
  readonly key: string;
  readonly value: string | undefined;
}

/** What the controller would write to a run's stagesStatus, or all the reasons why it would not. */
export interface Plan {
  readonly stages: readonly PlannedStage[];
  readonly deletion: readonly string[];
  /** Clusters that more than one stage selects, with the names of those stages: the same list for the same stages. */
  readonly inSeveralStages: readonly { readonly cluster: string; readonly stages: readonly string[] }[];
  /** Scheduled clusters that no stage selects. */
  readonly inNoStage: readonly string[];
  readonly unsortable: readonly Unsortable[];
}

export interface PlanInput {
  readonly stages: readonly Stage[];
  readonly scheduled: readonly string[];
  readonly toDelete: readonly string[];
  readonly memberOf: (name: string) => MemberCluster | undefined;
}

/**
 * Assigns scheduled clusters to stages (KubeFleet updaterun/initialization.go computeRunStageStatus): a stage takes every
 * scheduled member cluster that its selector matches, in the order of its sorting label and then of names; a stage
 * whose selector cannot be read takes none.
 */
export function planStages({ stages, scheduled, toDelete, memberOf }: PlanInput): Plan {
  const noStages = new Combination([]);
  const places = inOrder(scheduled).map((cluster): Place => ({ cluster, member: memberOf(cluster), stages: noStages }));
  const candidates = places.filter(isThere);
  const unsortable: Unsortable[] = [];
  const isFree = freeForNumbers(stages);
  const planned = stages.map((stage) => {
    const isTaken = matcherOf(isReadable(stage) ? stage.labelSelector : undefined);
    const selected = candidates.filter(({ member }) => isTaken(member.metadata.labels));
    for (const place of selected) place.stages = place.stages.with(stage);
    const taken = selected.map(({ member }) => member);
    if (stage.sortingLabelKey !== undefined) unsortable.push(...taken.flatMap((one) => unsortableIn(stage, one)));
    return {
      stage,
      clusters: inUpdateOrder(stage, taken),
      ...(isFree(stage.sortingLabelKey) && nextRankIn(stage, taken)),
    };
  });
  return {
    stages: planned,
    deletion: toDelete,
    inSeveralStages: places
      .filter((place) => place.stages.names.length > 1)
      .map(({ cluster, stages: { names } }) => ({ cluster, stages: names })),
    inNoStage: places.filter((place) => place.stages === noStages).map(({ cluster }) => cluster),
    unsortable,
  };
}

/** Stages that select the same cluster, by name. Thousands of clusters are in few combinations of stages. */
class Combination {
  private readonly larger = new Map<Stage, Combination>();

  constructor(readonly names: readonly string[]) {}

  with(stage: Stage): Combination {
    const known = this.larger.get(stage) ?? new Combination([...this.names, stage.name]);
    this.larger.set(stage, known);
    return known;
  }
}

/** A scheduled cluster, and the stages that select it. */
interface Place {
  readonly cluster: string;
  readonly member: MemberCluster | undefined;
  stages: Combination;
}

function isThere(place: Place): place is Place & { readonly member: MemberCluster } {
  return place.member !== undefined;
}

/** Plans are made by the same stored strategies time and again. What is only reviewed is not kept here: it would outlive its review. */
const readable = new WeakMap<Stage, boolean>();

/** Whether the controller can make sense of a stage's selector; absent, it can. */
export function isReadable(stage: Stage): boolean {
  const known = readable.get(stage) ?? (stage.labelSelector === undefined || isSound(stage.labelSelector));
  readable.set(stage, known);
  return known;
}

/** Labels that KubeFleet sets itself. */
const ownedByFleet = /(?:^|\.)kubernetes-fleet\.io\//;

/** Whether people can set a label of this key on a member cluster. */
export function isSettable(key: string): boolean {
  return isLabelKey(key) && !ownedByFleet.test(key);
}

function unsortableIn(stage: Stage, member: MemberCluster): readonly Unsortable[] {
  const key = stage.sortingLabelKey;
  if (key === undefined || rankOf(member.metadata.labels, key) !== undefined) return [];
  const value = member.metadata.labels[key];
  return [{ cluster: member.metadata.name, stage: stage.name, key, value }];
}

const largestInt64 = 2n ** 63n - 1n;

/** A sorting label as the controller reads it, by Go's strconv.Atoi; undefined where that fails. */
export function rankOf(labels: Dictionary, key: string): bigint | undefined {
  const text = labels[key] ?? '';
  if (!/^\d+$/.test(text)) return undefined;
  const rank = BigInt(text);
  return rank <= largestInt64 ? rank : undefined;
}

function inUpdateOrder(stage: Stage, members: readonly MemberCluster[]): readonly string[] {
  const key = stage.sortingLabelKey;
  const names = (list: readonly MemberCluster[]): readonly string[] => list.map(({ metadata }) => metadata.name);
  if (key === undefined) return names(members);
  const ranked = members.map((member) => ({ member, rank: rankOf(member.metadata.labels, key) ?? 0n }));
  // The members come sorted by name, and the sort is stable.
  ranked.sort((a, b) => (a.rank === b.rank ? 0 : a.rank < b.rank ? -1 : 1));
  return names(ranked.map(({ member }) => member));
}

/** A label that people can set without moving a cluster to another stage. */
function freeForNumbers(stages: readonly Stage[]): (key: string | undefined) => boolean {
  const selectors = stages.flatMap(({ labelSelector }) => labelSelector ?? []);
  const named = new Set(selectors.flatMap(requirementsOf).map(({ key }) => key));
  return (key) => key !== undefined && isSettable(key) && !named.has(key);
}

function nextRankIn({ sortingLabelKey: key = '' }: Stage, members: readonly MemberCluster[]): { nextRank: string } {
  const ranks = members.map(({ metadata }) => rankOf(metadata.labels, key) ?? 0n);
  const last = ranks.reduce((a, b) => (a > b ? a : b), 0n);
  return { nextRank: String(last < largestInt64 ? last + 1n : last) };
}
