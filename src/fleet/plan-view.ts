import { readDuration } from './duration.js';
import type { Facts } from './facts.js';
import type { Dictionary, Stage, StageTask, UpdateRun } from './model.js';
import { memberIn } from './members-by-name.js';
import type { Plan, PlannedStage } from './plan.js';
import { plain } from './quoted.js';
import { bindingsFor, planFor, planSinceInitialized } from './rollout.js';
import { isInitialized } from './run.js';
import { behaves, newestRelease, type Behaves } from './versions.js';

/** A cluster in its place, with what is wrong with it being there. */
export interface ClusterView {
  readonly name: string;
  readonly labels: Dictionary;
  readonly errors: readonly string[];
}

export interface StageView {
  readonly name: string;
  readonly clusters: readonly ClusterView[];
  /** How many clusters are updated at the same time. */
  readonly atOnce: number;
  /** maxConcurrency as it is written in the strategy. */
  readonly maxConcurrency: number | string;
  readonly batches: number;
  /** `approval`, `wait 1h`. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  /** Set where approvals and waits hold although there is no cluster, as the version of KubeFleet will have it. */
  readonly isHeld?: true;
}

/** All that a person wants to know of a run before it starts. */
export interface PlanView {
  readonly placement: string;
  readonly strategy: string;
  /** The index of the snapshot, or `latest`. */
  readonly snapshot: string;
  readonly stages: readonly StageView[];
  /** Clusters that lose the resources at the end. */
  readonly deletion: readonly string[];
  /** Clusters of the placement that no stage selects. */
  readonly leftOut: readonly ClusterView[];
  /** Seconds; approvals count as given at once. */
  readonly shortestSeconds: number;
  /** What the plan takes for granted, because nobody knows the version of KubeFleet. */
  readonly assumption?: string;
}

/** The controller looks after a cluster that it updates every 15 s (updaterun/execution.go clusterUpdatingWaitTime). */
const secondsPerBatch = 15;

/**
 * The plan of a run on a version of KubeFleet: by the stages it was initialized with, else by its strategy. Undefined
 * where facts are missing.
 */
export function planView(run: UpdateRun, facts: Facts, version: string): PlanView | undefined {
  const plan = isInitialized(run) ? planSinceInitialized(run, facts) : planFor(run, facts);
  if (plan === undefined || bindingsFor(run, facts) === undefined) return undefined;
  const memberOf = memberIn(facts.list('MemberCluster'));
  const labelsOf: LabelsOf = (name) => memberOf(name)?.metadata.labels ?? {};
  const isSkipping = behaves(version, 'empty-stages-skipped');
  const errorsOf = errorsIn(plan);
  const stages = plan.stages.map((planned) => {
    const view = stageView(planned, labelsOf, errorsOf);
    return view.clusters.length === 0 && isSkipping === 'no' ? { ...view, isHeld: true as const } : view;
  });
  const timed = stages.map((stage, index) => ({ stage, seconds: shortest(stage, plan.stages[index]?.stage) }));
  return {
    placement: run.spec.placementName,
    strategy: run.spec.stagedRolloutStrategyName,
    snapshot: run.status.resourceSnapshotIndexUsed ?? run.spec.resourceSnapshotIndex ?? 'latest',
    stages,
    deletion: plan.deletion,
    leftOut: plan.inNoStage.map((name) => ({ name, labels: labelsOf(name), errors: ['in no stage'] })),
    shortestSeconds: sumOf(timed.filter(({ stage }) => !isSkipped(stage))),
    ...assumption(isSkipping, stages, sumOf(timed)),
  };
}

function sumOf(timed: readonly { readonly seconds: number }[]): number {
  return timed.reduce((sum, { seconds }) => sum + seconds, 0);
}

/** Whether nothing of a stage happens, its approvals and waits included. */
export function isSkipped({ clusters, isHeld }: StageView): boolean {
  return clusters.length === 0 && isHeld !== true;
}

/** How many approvals people have to give. */
export function approvalsOf({ stages }: Pick<PlanView, 'stages'>): number {
  return stages
    .filter((stage) => !isSkipped(stage))
    .flatMap(({ before, after }) => [...before, ...after])
    .filter((task) => task === 'approval').length;
}

/** Worth a line only where it makes a difference. */
function assumption(
  isSkipping: Behaves,
  stages: readonly StageView[],
  otherwise: number,
): Pick<PlanView, 'assumption'> {
  const gated = stages.filter((stage) => isSkipped(stage) && stage.before.length + stage.after.length > 0);
  if (isSkipping !== 'assumed' || gated.length === 0) return {};
  const names = gated.map(({ name }) => plain(name)).join(', ');
  return {
    assumption:
      `the version of KubeFleet is not known: ${newestRelease} and older do not skip the approvals and waits of stages ` +
      `without clusters (${names}), and take at least ${durationText(otherwise)}`,
  };
}

type LabelsOf = (cluster: string) => Dictionary;
type ErrorsOf = (cluster: string, stage: Stage) => readonly string[];

function stageView({ stage, clusters }: PlannedStage, labelsOf: LabelsOf, errorsOf: ErrorsOf): StageView {
  const atOnce = atOnceOf(stage.maxConcurrency ?? 1, clusters.length);
  return {
    name: stage.name,
    clusters: clusters.map((name) => ({ name, labels: labelsOf(name), errors: errorsOf(name, stage) })),
    atOnce,
    maxConcurrency: stage.maxConcurrency ?? 1,
    batches: Math.ceil(clusters.length / atOnce),
    before: stage.beforeStageTasks.map(taskText),
    after: stage.afterStageTasks.map(taskText),
  };
}

/** A share is rounded down, but one cluster always goes (updaterun/execution.go calculateMaxConcurrencyValue). */
function atOnceOf(maxConcurrency: number | string, clusters: number): number {
  const wanted =
    typeof maxConcurrency === 'number'
      ? maxConcurrency
      : Math.floor((clusters * Number(maxConcurrency.replace('%', ''))) / 100);
  return Math.max(1, Math.min(Number.isFinite(wanted) ? wanted : 1, Math.max(1, clusters)));
}

/** Looked up, for it is asked of every cluster, and every cluster may be in every stage. */
function errorsIn(plan: Plan): ErrorsOf {
  if (plan.inSeveralStages.length === 0 && plan.unsortable.length === 0) return () => [];
  const stagesOf = new Map(plan.inSeveralStages.map(({ cluster, stages }) => [cluster, stages]));
  const unsortable = new Set(plan.unsortable.map(({ cluster, stage }) => JSON.stringify([cluster, stage])));
  return (cluster, stage) => {
    const others = stagesOf.get(cluster) ?? [];
    const isUnsortable = unsortable.size > 0 && unsortable.has(JSON.stringify([cluster, stage.name]));
    return [
      ...(others.length > 0
        ? [
            `also in stage ${others
              .filter((name) => name !== stage.name)
              .map(plain)
              .join(', ')}`,
          ]
        : []),
      ...(isUnsortable ? [`label ${plain(stage.sortingLabelKey ?? '')} is not a whole number`] : []),
    ];
  };
}

export function taskText({ type, waitTime }: StageTask): string {
  if (type !== 'TimedWait') return plain(type.toLowerCase());
  // Go writes an hour as 1h0m0s.
  return `wait ${plain((waitTime ?? '?').replace(/(?<=h)0m0s$|(?<=m)0s$/, ''))}`;
}

function shortest({ batches }: StageView, stage: Stage | undefined): number {
  const waits = (stage?.afterStageTasks ?? []).map(({ waitTime }) => secondsOf(waitTime ?? '0'));
  // Tasks after a stage count from the same moment.
  return batches * secondsPerBatch + Math.max(0, ...waits);
}

function secondsOf(waitTime: string): number {
  const read = readDuration(waitTime);
  return read.is === 'read' ? Number(read.nanoseconds / 1_000_000_000n) : 0;
}

/** `45s`, `15m`, `2h 5m`. */
export function durationText(seconds: number): string {
  const days = Math.floor(seconds / 86_400);
  const hours = Math.floor((seconds % 86_400) / 3_600);
  const minutes = Math.floor((seconds % 3_600) / 60);
  const parts = [`${String(days)}d`, `${String(hours)}h`, `${String(minutes)}m`, `${String(seconds % 60)}s`];
  const shown = parts.filter((part) => !part.startsWith('0')).slice(0, 2);
  return shown.length === 0 ? '0s' : shown.join(' ');
}
