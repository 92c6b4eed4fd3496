import { count, findingText } from '../engine/message.js';
import { durationText, type PlanView, type StageView } from '../engine/plan-view.js';
import type { PlanReport } from './plan-report.js';
import { indent, printable, table, type Style } from './style.js';

/** A plan for people: what comes in which order, what stands between, and what speaks against it. */
export function planText({ title, plan, verdict, errors }: PlanReport, style: Style): string {
  const blocks = [
    ...errors.map(({ file, message }) => `${style('red', 'error')}: ${printable(`${file}: ${message}`)}`),
    style('bold', printable(title)),
    ...(plan === undefined ? ['no plan can be made, for the reasons below'] : planBlocks(plan, style)),
    ...verdict.findings.map((finding) => {
      const word = finding.severity === 'deny' ? style('red', 'refused') : style('yellow', 'warning');
      return `${word}\n${indent(printable(findingText(finding)), 2)}`;
    }),
  ];
  return `${blocks.join('\n\n')}\n`;
}

function planBlocks(plan: PlanView, style: Style): readonly string[] {
  const facts = table([
    ['placement', plan.placement],
    ['strategy', plan.strategy],
    ['snapshot', plan.snapshot],
  ]);
  const rows = plan.stages.map((stage, index) => stageRow(stage, index + 1));
  const header = ['#', 'stage', 'clusters', 'at once', 'batches', 'before', 'after', 'in this order'];
  const removal = plan.deletion.length === 0 ? [] : [`then the resources are deleted from ${plan.deletion.join(', ')}`];
  const leftOut = plan.leftOut.map(({ name }) => name);
  return [
    printable(facts.trimEnd()),
    printable(table([header, ...rows]).trimEnd()),
    ...removal.map(printable),
    ...(leftOut.length === 0 ? [] : [style('red', printable(`in no stage: ${leftOut.join(', ')}`))]),
    `shortest possible duration: ${durationText(plan.shortestSeconds)}${approvals(plan)}`,
  ];
}

function stageRow(stage: StageView, position: number): readonly string[] {
  const clusters = stage.clusters.map(({ name, faults }) =>
    faults.length === 0 ? name : `${name} (${faults.join('; ')})`,
  );
  return [
    String(position),
    stage.name,
    String(stage.clusters.length),
    stage.maxConcurrency === stage.atOnce
      ? String(stage.atOnce)
      : `${String(stage.atOnce)} (${String(stage.maxConcurrency)})`,
    String(stage.batches),
    stage.before.join(', ') || '-',
    stage.after.join(', ') || '-',
    clusters.join(', ') || '-',
  ];
}

/** Approvals take as long as people take; the duration counts them as given at once. */
function approvals({ stages }: PlanView): string {
  const gates = stages
    .filter(({ clusters }) => clusters.length > 0)
    .flatMap(({ before, after }) => [...before, ...after])
    .filter((task) => task === 'approval').length;
  return gates === 0 ? '' : `, and ${count(gates, 'approval')}`;
}
