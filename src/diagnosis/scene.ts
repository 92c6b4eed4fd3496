import type { Facts } from '../fleet/facts.js';
import { UnknownFact } from '../fleet/facts.js';
import type { Policy } from '../engine/policy.js';
import type { Rule } from '../engine/rule.js';
import type { UpdateRun } from '../fleet/model.js';
import type { BindingReport, Reports } from '../fleet/reports.js';
import type { FleetState } from '../fleet/state.js';

/** A run and all that is known around it. */
export interface Scene {
  readonly run: UpdateRun;
  readonly fleet: FleetState;
  /** The fleet as the run sees it. */
  readonly facts: Facts;
  readonly reports: Reports;
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  readonly now: number;
}

/** A fact, or what could not be known. */
export type Seen<T> = { readonly is: 'seen'; readonly value: T } | { readonly is: 'unseen'; readonly what: string };

export function look<T>(ask: () => T): Seen<T> {
  try {
    return { is: 'seen', value: ask() };
  } catch (error) {
    if (error instanceof UnknownFact) return { is: 'unseen', what: error.what };
    throw error;
  }
}

/** The binding that stands for a cluster now; one that goes says nothing of it. */
export function bindingFor(cluster: string, { reports }: Pick<Scene, 'reports'>): BindingReport | undefined {
  const all = reports.bindings.items.filter((binding) => binding.cluster === cluster);
  return (
    all.find(({ deletionTimestamp, state }) => deletionTimestamp === undefined && state !== 'Unscheduled') ?? all[0]
  );
}

/** Who has rolled out what a binding has, by the word of the run controller (updaterun/execution.go updateBindingRolloutStarted). */
export function writerOf({ conditions }: BindingReport): string | undefined {
  const message = conditions.find(({ type }) => type === 'RolloutStarted')?.message ?? '';
  return /updateRun: ([a-z0-9][-a-z0-9.]*)$/i.exec(message)?.[1];
}
