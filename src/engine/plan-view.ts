import { readDuration } from '../fleet/duration.js';
import type { Facts } from '../fleet/facts.js';
import type { Dictionary, Stage, StageTask, UpdateRun } from '../fleet/model.js';
import type { Plan, PlannedStage } from '../fleet/plan.js';
import { bindingsFor, planFor, planSinceInitialized } from '../fleet/rollout.js';
import { isInitialized } from '../fleet/run.js';
import { moments, type Change } from './change.js';
import { count } from './message.js';

/** A cluster in its place, with what speaks against it being there. */
export interface ClusterView {
  readonly name: string;
  readonly labels: Dictionary;
  readonly faults: readonly string[];
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
}

/** The controller looks after a cluster that it updates every 15 s (updaterun/execution.go clusterUpdatingWaitTime). */
const secondsPerBatch = 15;

/** The plan of a run: by the stages it was initialized with, else by its strategy. Undefined where facts are missing. */
export function planView(run: UpdateRun, facts: Facts): PlanView | undefined {
  const plan = isInitialized(run) ? planSinceInitialized(run, facts) : planFor(run, facts);
  if (plan === undefined || bindingsFor(run, facts) === undefined) return undefined;
  const labels = new Map(facts.list('MemberCluster').map(({ metadata }) => [metadata.name, metadata.labels]));
  const stages = plan.stages.map((planned) => stageView(planned, plan, labels));
  return {
    placement: run.spec.placementName,
    strategy: run.spec.stagedRolloutStrategyName,
    snapshot: run.status.resourceSnapshotIndexUsed ?? run.spec.resourceSnapshotIndex ?? 'latest',
    stages,
    deletion: plan.deletion,
    leftOut: plan.inNoStage.map((name) => ({ name, labels: labels.get(name) ?? {}, faults: ['in no stage'] })),
    shortestSeconds: stages.reduce((sum, stage, index) => sum + shortest(stage, plan.stages[index]?.stage), 0),
  };
}

function stageView({ stage, clusters }: PlannedStage, plan: Plan, labels: ReadonlyMap<string, Dictionary>): StageView {
  const atOnce = atOnceOf(stage.maxConcurrency ?? 1, clusters.length);
  return {
    name: stage.name,
    clusters: clusters.map((name) => ({ name, labels: labels.get(name) ?? {}, faults: faultsOf(name, stage, plan) })),
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

function faultsOf(cluster: string, stage: Stage, plan: Plan): readonly string[] {
  const others = plan.inSeveralStages.find((entry) => entry.cluster === cluster)?.stages ?? [];
  const isUnsortable = plan.unsortable.some((fault) => fault.cluster === cluster && fault.stage === stage.name);
  return [
    ...(others.length > 0 ? [`also in stage ${others.filter((name) => name !== stage.name).join(', ')}`] : []),
    ...(isUnsortable ? [`label ${stage.sortingLabelKey ?? ''} is not a whole number`] : []),
  ];
}

function taskText({ type, waitTime }: StageTask): string {
  if (type !== 'TimedWait') return type.toLowerCase();
  // Go writes an hour as 1h0m0s.
  return `wait ${(waitTime ?? '?').replace(/(?<=h)0m0s$|(?<=m)0s$/, '')}`;
}

/** A stage without clusters is passed over, its waits as well. */
function shortest({ batches, clusters }: StageView, stage: Stage | undefined): number {
  if (clusters.length === 0) return 0;
  const waits = (stage?.afterStageTasks ?? []).map(({ waitTime }) => secondsOf(waitTime ?? '0'));
  // Tasks after a stage count from the same moment.
  return batches * secondsPerBatch + Math.max(0, ...waits);
}

function secondsOf(waitTime: string): number {
  const read = readDuration(waitTime);
  return read.is === 'read' ? Number(read.nanoseconds / 1_000_000_000n) : 0;
}

/** The plan of a run that is created or started, in one line. */
export function previewOf(change: Change, facts: Facts): string | undefined {
  if (change.family !== 'UpdateRun' || change.operation === 'DELETE' || change.subresource !== undefined)
    return undefined;
  if (change.operation === 'UPDATE' && !moments['state becomes Run'](change)) return undefined;
  const view = planView(change.object, facts);
  return view && previewText(view);
}

/** The plan in one line: `plan: staging 2 -> canary 1 (approval) -> prod 12 at 25%; snapshot: latest`. */
export function previewText({ stages, deletion, snapshot }: PlanView): string {
  const steps = [
    ...stages.map(stageText),
    ...(deletion.length > 0 ? [`remove from ${count(deletion.length, 'cluster')}`] : []),
  ];
  return `plan: ${steps.join(' -> ')}; snapshot: ${snapshot}`;
}

function stageText({ name, clusters, maxConcurrency, before, after }: StageView): string {
  const tasks = [...before.map((task) => `${task} first`), ...after];
  const pace = maxConcurrency === 1 || clusters.length < 2 ? '' : ` at ${String(maxConcurrency)}`;
  return `${name} ${String(clusters.length)}${pace}${tasks.length > 0 ? ` (${tasks.join(', ')})` : ''}`;
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
