import { findingJson } from '../../engine/verdict.js';
import { planPage } from '../../http/plan-html.js';
import type { PlanReport } from './model.js';

/** The plan as a page. */
export function htmlReport({ title, plan, findings }: PlanReport): string {
  return planPage({ title, plan, findings: findings.map(findingJson) });
}
