import { subjectName } from '../engine/message.js';
import { overlay } from '../engine/overlay.js';
import { Facts, UnknownFact } from '../fleet/facts.js';
import { planView, type PlanView } from '../fleet/plan-view.js';
import { plain } from '../fleet/quoted.js';
import type { Judged } from './judge-together.js';

/** A run with its plan; none where the fleet does not allow one, and the findings say why. */
export interface JudgedPlan {
  readonly title: string;
  readonly plan: PlanView | undefined;
}

/** What a run that was judged would do, by the fleet that it was judged by. */
export function planOfJudged({ change, fleet, verdict: { subject } }: Judged, version: string): JudgedPlan {
  const title = `${subject.kind} ${plain(subjectName(subject))}`;
  if (change.family !== 'UpdateRun' || change.operation === 'DELETE') return { title, plan: undefined };
  try {
    const facts = new Facts(overlay(fleet, change), change.namespace);
    return { title, plan: planView(change.object, facts, version) };
  } catch (error) {
    // The findings name what could not be known.
    if (error instanceof UnknownFact) return { title, plan: undefined };
    throw error;
  }
}
