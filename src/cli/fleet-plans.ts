import { subjectName } from '../engine/message.js';
import { planView, type PlanView } from '../engine/plan-view.js';
import { describeRun } from '../engine/run-text.js';
import { Facts, UnknownFact } from '../fleet/facts.js';
import type { IndexedFleet } from '../fleet/indexed-fleet.js';
import type { UpdateRun } from '../fleet/model.js';
import { isOver } from '../fleet/run.js';
import type { PlannedRun } from '../http/plan-html.js';

/** More plans only make the page slow. */
const mostPlans = 50;

/** The plan of every run of a fleet, those that are not over first. */
export function plansOf(fleet: IndexedFleet): readonly PlannedRun[] {
  const runs = fleet.all('UpdateRun');
  return [...runs.filter((run) => !isOver(run)), ...runs.filter(isOver)].slice(0, mostPlans).map((run) => ({
    title: `${run.kind} ${subjectName({ ...run.metadata, namespace: run.metadata.namespace, kind: run.kind })}, ${describeRun(run)}`,
    plan: planOf(run, new Facts(fleet, run.metadata.namespace)),
  }));
}

function planOf(run: UpdateRun, facts: Facts): PlanView | undefined {
  try {
    return planView(run, facts);
  } catch (error) {
    // Of a fleet that could not be read in full, some plans are unknown.
    if (error instanceof UnknownFact) return undefined;
    throw error;
  }
}
