import type { Condition } from '../fleet/model.js';
import { conditionOf } from '../fleet/model.js';
import type { BindingReport, Reporter, WorkReport } from '../fleet/reports.js';
import type { Cause } from './diagnosis.js';
import type { Scene } from './scene.js';

/** What keeps one cluster from being updated. */
export interface Trouble extends Cause {
  /**
   * `taken`: another run has the cluster; `hard`: it does not pass by itself; `slow`: it may well be over in a minute;
   * `over`: it is over, and KubeFleet has yet to notice.
   */
  readonly is: 'taken' | 'hard' | 'slow' | 'over';
}

/** A cluster under way, and the binding that stands for it. */
export interface Place {
  readonly cluster: string;
  readonly binding: BindingReport;
  readonly scene: Scene;
}

/** A condition of an older generation says nothing of what is asked for now. */
export function current(
  { conditions, generation }: Pick<Reporter, 'conditions' | 'generation'>,
  type: string,
): Condition | undefined {
  const condition = conditionOf(conditions, type);
  return condition?.observedGeneration === generation ? condition : undefined;
}

export function worksOf({ name }: BindingReport, { reports }: Scene): readonly WorkReport[] {
  return reports.works.items.filter(({ binding }) => binding === name);
}
