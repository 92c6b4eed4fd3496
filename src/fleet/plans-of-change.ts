import type { MemberCluster, StageStatus, StrategySpec, UpdateRun } from './model.js';
import { areClustersAsPlanned, clusterChanges, type PlanChange } from './plan-changes.js';
import { planStages, type Plan } from './plan.js';
import { requirementsOf } from './selector.js';

/** A member cluster that joins, changes or leaves. */
export interface MemberChange {
  readonly name: string;
  readonly before: MemberCluster | undefined;
  readonly after: MemberCluster | undefined;
}

/** The plans of one strategy for the clusters of one placement: made where somebody asks. */
interface Plans {
  before?: Plan;
  after?: Plan;
}

interface Situation {
  readonly scheduled: readonly string[];
  readonly toDelete: readonly string[];
  /** The cluster of the change as it is in this situation. */
  readonly member: MemberCluster | undefined;
}

/**
 * What finding out has taken: a unit is a cluster that is held against a requirement or a run. Whoever asks looks at it
 * now and then, and stops where it is too much.
 */
export class Effort {
  spent = 0;
}

const noStages: StrategySpec = { stages: [] };

/**
 * The plans of runs before and after a change of a member cluster. Runs of one strategy and one placement have them in
 * common: there are thousands of runs, and a plan may be of thousands of clusters.
 */
export class PlansOfChange {
  /** By the clusters of a placement, then by strategy. */
  private readonly known = new Map<readonly string[], Map<StrategySpec, Plans>>();
  private readonly clustersAfter = new Map<readonly string[], readonly string[]>();

  constructor(
    private readonly change: MemberChange,
    /** All member clusters, that of the change aside. */
    private readonly memberOf: (name: string) => MemberCluster | undefined,
    private readonly effort: Effort,
  ) {}

  /** Whether the plan of a run has held up to the change; `clusters` are those of its placement. */
  heldBefore(run: UpdateRun, clusters: readonly string[]): boolean {
    const plans = this.plansOf(run, clusters);
    plans.before ??= this.planOf(strategyOf(run), { scheduled: clusters, toDelete: [], member: this.change.before });
    this.effort.spent += clusterCount(run.status.stagesStatus ?? []) / 4;
    return areClustersAsPlanned(run, plans.before);
  }

  changesAfter(run: UpdateRun, clusters: readonly string[]): readonly PlanChange[] {
    const plans = this.plansOf(run, clusters);
    const { name, after: member } = this.change;
    const toDelete = member === undefined ? [name] : [];
    plans.after ??= this.planOf(strategyOf(run), { scheduled: this.after(clusters), toDelete, member });
    this.effort.spent += clusterCount(run.status.stagesStatus ?? []) / 4;
    const { deletion } = plans.after;
    return clusterChanges({ run, plan: plans.after, bindings: { scheduled: [], toDelete: deletion, stale: [] } });
  }

  private plansOf(run: UpdateRun, clusters: readonly string[]): Plans {
    const byStrategy = this.known.get(clusters) ?? new Map<StrategySpec, Plans>();
    this.known.set(clusters, byStrategy);
    const strategy = strategyOf(run);
    const plans = byStrategy.get(strategy) ?? {};
    byStrategy.set(strategy, plans);
    return plans;
  }

  private after(clusters: readonly string[]): readonly string[] {
    const { name, after } = this.change;
    const known = this.clustersAfter.get(clusters);
    const list =
      known ?? (after === undefined ? clusters.filter((each) => each !== name) : [...new Set([...clusters, name])]);
    this.clustersAfter.set(clusters, list);
    return list;
  }

  private planOf(strategy: StrategySpec, { scheduled, toDelete, member }: Situation): Plan {
    const { requirements, values } = sizeOf(strategy);
    this.effort.spent += planEffort + scheduled.length * (1 + requirements) + values;
    const memberOf = (name: string): MemberCluster | undefined =>
      name === this.change.name ? member : this.memberOf(name);
    return planStages({ stages: strategy.stages, scheduled, toDelete, memberOf });
  }
}

export function strategyOf({ status }: UpdateRun): StrategySpec {
  return status.stagedUpdateStrategySnapshot ?? noStages;
}

/** What making a plan takes beside its clusters. */
const planEffort = 100;

/** How much there is in a strategy that takes time. */
export function sizeOf({ stages }: StrategySpec): { readonly requirements: number; readonly values: number } {
  const requirements = stages.flatMap(({ labelSelector }) => (labelSelector ? requirementsOf(labelSelector) : []));
  return {
    requirements: requirements.length,
    values: requirements.reduce((sum, requirement) => sum + requirement.values.length, 0),
  };
}

export function clusterCount(stages: readonly StageStatus[]): number {
  return stages.reduce((sum, { clusters }) => sum + clusters.length, 0);
}
