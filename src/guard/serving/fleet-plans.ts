import { subjectName } from '../../engine/message.js';
import { planView, type PlanView } from '../../fleet/plan-view.js';
import { describeRun } from '../../rules/wording/run.js';
import { Facts, UnknownFact } from '../../fleet/facts.js';
import type { IndexedFleet } from '../../fleet/indexed-fleet.js';
import type { UpdateRun } from '../../fleet/model.js';
import { plain } from '../../fleet/quoted.js';
import { isOver } from '../../fleet/run.js';
import type { PlannedRun } from '../../http/plan-html.js';

/** More plans only make the page slow. */
const mostPlans = 50;

/** The plan of every run of a fleet, on a version of KubeFleet, those that are not over first. */
export function plansOf(fleet: IndexedFleet, version: string): readonly PlannedRun[] {
  const runs = fleet.all('UpdateRun');
  return [...runs.filter((run) => !isOver(run)), ...runs.filter(isOver)].slice(0, mostPlans).map((run) => ({
    title: `${run.kind} ${plain(subjectName({ ...run.metadata, namespace: run.metadata.namespace, kind: run.kind }))}, ${describeRun(run)}`,
    plan: planOf(run, new Facts(fleet, run.metadata.namespace), version),
  }));
}

function planOf(run: UpdateRun, facts: Facts, version: string): PlanView | undefined {
  try {
    return planView(run, facts, version);
  } catch (error) {
    // Of a fleet that could not be read in full, some plans are unknown.
    if (error instanceof UnknownFact) return undefined;
    throw error;
  }
}
