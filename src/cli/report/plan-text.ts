import { count } from '../../engine/message.js';
import { approvalsOf, durationText, type PlanView, type StageView } from '../../fleet/plan-view.js';
import { plain, visible } from '../../fleet/quoted.js';
import { table, type Style } from './style.js';

/** A plan for people. */
export function planBlocks(plan: PlanView, style: Style): readonly string[] {
  const facts = table([
    ['placement', plain(plan.placement)],
    ['strategy', plain(plan.strategy)],
    ['snapshot', plain(plan.snapshot)],
  ]);
  const rows = plan.stages.map((stage, index) => stageRow(stage, index + 1));
  const header = ['#', 'stage', 'clusters', 'at once', 'batches', 'before', 'after', 'in this order'];
  const removal =
    plan.deletion.length === 0 ? [] : [`then the resources are deleted from ${plan.deletion.map(plain).join(', ')}`];
  const leftOut = plan.leftOut.map(({ name }) => plain(name));
  return [
    facts.trimEnd(),
    table([header, ...rows]).trimEnd(),
    ...removal,
    ...(leftOut.length === 0 ? [] : [style('red', `in no stage: ${leftOut.join(', ')}`)]),
    `shortest possible duration: ${durationText(plan.shortestSeconds)}${approvals(plan)}`,
    ...(plan.assumption === undefined ? [] : [visible(plan.assumption)]),
  ];
}

function stageRow(stage: StageView, position: number): readonly string[] {
  const clusters = stage.clusters.map(({ name, errors }) =>
    errors.length === 0 ? plain(name) : `${plain(name)} (${errors.join('; ')})`,
  );
  return [
    String(position),
    plain(stage.name),
    String(stage.clusters.length),
    stage.maxConcurrency === stage.atOnce
      ? String(stage.atOnce)
      : `${String(stage.atOnce)} (${plain(String(stage.maxConcurrency))})`,
    String(stage.batches),
    stage.before.join(', ') || '-',
    stage.after.join(', ') || '-',
    clusters.join(', ') || '-',
  ];
}

/** Approvals take as long as people take; the duration counts them as given at once. */
function approvals(plan: PlanView): string {
  const gates = approvalsOf(plan);
  return gates === 0 ? '' : `, and ${count(gates, 'approval')}`;
}
