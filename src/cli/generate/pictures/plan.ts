import { count } from '../../../engine/message.js';
import { durationText, type PlanView, type StageView } from '../../../fleet/plan-view.js';
import { html, type Html } from '../../../http/html.js';
import { svgFile } from './svg.js';

const margin = 20;
const columnWidth = 200;
const gateWidth = 110;
const rowHeight = 30;
const top = 96;

/** A plan as columns of clusters, one for each stage, with what stands between them. */
export function planPicture(title: string, plan: PlanView): string {
  const { stages } = plan;
  const most = Math.max(1, ...stages.map(({ clusters }) => clusters.length));
  const height = top + most * rowHeight + 14;
  const facts = `placement ${plan.placement}, strategy ${plan.strategy}, snapshot ${plan.snapshot}`;
  return svgFile({
    title: `${title}: ${stages.map(({ name, clusters }) => `${name} ${count(clusters.length, 'cluster')}`).join(', ')}`,
    width: stages.length * columnWidth + (stages.length - 1) * gateWidth + 2 * margin,
    height,
    content: [
      html`<text class="strong" x="${margin}" y="32">${title}</text>`,
      html`<text class="dim" x="${margin}" y="52">${facts}; at least ${durationText(plan.shortestSeconds)}</text>`,
      ...stages.flatMap((stage, at) => stageColumn(stage, margin + at * (columnWidth + gateWidth))),
      ...stages.slice(1).flatMap((stage, at) => gate([...(stages[at]?.after ?? []), ...stage.before], leftOfGate(at))),
    ],
  });
}

const leftOfGate = (at: number): number => margin + (at + 1) * columnWidth + at * gateWidth;

function stageColumn({ name, clusters, atOnce }: StageView, x: number): readonly Html[] {
  const boxes = clusters.flatMap((cluster, at) => {
    const y = top + at * rowHeight;
    return [
      html`<rect class="box" x="${x}" y="${y}" width="${columnWidth}" height="${rowHeight - 6}" rx="4" />`,
      html`<text x="${x + 10}" y="${y + 17}">${cluster.name}</text>`,
    ];
  });
  const heading = html`<text class="strong" x="${x}" y="${top - 12}">${name}, ${atOnce} at once</text>`;
  return [heading, ...boxes];
}

/** An arrow from stage to stage, and above it what it waits for. */
function gate(tasks: readonly string[], x: number): readonly Html[] {
  const y = top + 12;
  const [from, to] = [x + 10, x + gateWidth - 10];
  const labels = tasks.map(
    (task, at) =>
      html`<text class="command" text-anchor="middle" x="${x + gateWidth / 2}" y="${y + 22 + at * 18}">${task}</text>`,
  );
  const arrow = html`<path class="line" fill="none" d="M${from} ${y}H${to}m-6 -5l6 5l-6 5" />`;
  return [arrow, ...labels];
}
