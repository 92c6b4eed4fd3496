import { count } from '../engine/message.js';
import {
  approvalsOf,
  durationText,
  isSkipped,
  type ClusterView,
  type PlanView,
  type StageView,
} from '../fleet/plan-view.js';
import type { Severity } from '../engine/rule.js';
import type { FindingJson } from '../engine/verdict.js';
import { html, reportPage, type Html } from './html.js';
import { cellList } from './cells-html.js';
import { pageCss, planCss } from './plan-css.js';

/** A run with its plan; no plan where the fleet does not allow one, and the findings say why. */
export interface PlannedRun {
  readonly title: string;
  readonly plan: PlanView | undefined;
  /** Left out where nobody has judged the run. */
  readonly findings?: readonly FindingJson[];
}

/** A page for one run. */
export function planPage(run: PlannedRun): string {
  return reportPage(`Plan of ${run.title}`, pageCss + planCss, planSection(run));
}

/** The plan of one run, for a page of one's own; `planCss` (plan-css.ts) has its looks. */
export function planSection({ plan, findings, title }: PlannedRun): Html {
  return html`${findingList(findings)}${plan === undefined ? html`<p>No plan can be made.</p>` : planBody(plan, title)}`;
}

const severityWords: Readonly<Record<Severity, string>> = { deny: 'Refused', warn: 'Warning', audit: 'Audited' };

function findingList(findings: PlannedRun['findings']): Html {
  if (findings === undefined) return html``;
  if (findings.length === 0) return html`<p class="sound">No problems found.</p>`;
  return html`<ul class="findings" aria-label="Findings">
    ${findings.map(
      ({ severity, outcome, rule, message, fix }) =>
        html` <li class="${severity}">
          <strong>${outcome === 'undetermined' ? 'Not checked' : severityWords[severity]}</strong>
          <code>${rule}</code> ${message}
          <pre tabindex="0">${fix}</pre>
        </li>`,
    )}
  </ul>`;
}

function planBody(plan: PlanView, title: string): Html {
  const columns = [
    ...plan.stages.flatMap((stage, index) => stageColumns(stage, index + 1)),
    ...(plan.deletion.length > 0 ? [removalColumn(plan.deletion)] : []),
  ];
  const approvals = approvalsOf(plan);
  return html` <dl class="facts">
      <div>
        <dt>Placement</dt>
        <dd>${plan.placement}</dd>
      </div>
      <div>
        <dt>Strategy</dt>
        <dd>${plan.strategy}</dd>
      </div>
      <div>
        <dt>Snapshot</dt>
        <dd>${plan.snapshot}</dd>
      </div>
      <div>
        <dt>Shortest possible duration</dt>
        <dd>${durationText(plan.shortestSeconds)}${approvals === 0 ? '' : `, and ${count(approvals, 'approval')}`}</dd>
      </div>
    </dl>
    ${plan.assumption === undefined ? html`` : html`<p>${plan.assumption}</p>`} ${leftOutSection(plan.leftOut)}
    <h2>Stages</h2>
    <div class="board" role="region" aria-label="Stages of ${title}" tabindex="0">
      <ol class="stages">
        ${columns}
      </ol>
    </div>`;
}

function stageColumns(stage: StageView, position: number): readonly Html[] {
  const pace =
    stage.clusters.length < 2
      ? ''
      : `, ${String(stage.atOnce)} at a time in ${count(stage.batches, 'batch', 'batches')}`;
  return [
    ...stage.before.map((task) => gate(task, `before ${stage.name}`)),
    html` <li class="stage">
      <h3>${position}. ${stage.name}</h3>
      <p>${count(stage.clusters.length, 'cluster')}${pace}</p>
      ${clusterCards(stage.clusters, isSkipped(stage) ? ': the stage is passed over' : '; its approvals and waits hold')}
    </li>`,
    ...stage.after.map((task) => gate(task, `after ${stage.name}`)),
  ];
}

function gate(task: string, when: string): Html {
  return html` <li class="gate"><strong>${task}</strong> <span>${when}</span></li>`;
}

/** Of more clusters than these only the names are told, with what is wrong with them. */
const mostCards = 12;

function clusterCards(clusters: readonly ClusterView[], ifNone = ''): Html {
  if (clusters.length === 0) return html`<p class="empty">No cluster${ifNone}.</p>`;
  if (clusters.length > mostCards) {
    const wrong = clusters.filter(({ errors }) => errors.length > 0).slice(0, mostCards);
    return html`${wrong.length === 0 ? html`` : cardList(wrong)}${cellList(clusters.map(({ name }) => name))}`;
  }
  return cardList(clusters);
}

function cardList(clusters: readonly ClusterView[]): Html {
  return html`<ul class="clusters">
    ${clusters.map(
      ({ name, labels, errors }) =>
        html` <li class="cluster${errors.length > 0 ? ' wrong' : ''}">
          <strong>${name}</strong>${errors.map((error) => html`<p class="error">${error}</p>`)}${labelList(labels)}
        </li>`,
    )}
  </ul>`;
}

/** KubeFleet gives each cluster its own name as a label. */
const nameLabel = 'kubernetes-fleet.io/member-name';

function labelList(labels: ClusterView['labels']): Html {
  const entries = Object.entries(labels)
    .filter(([key]) => key !== nameLabel)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length === 0) return html``;
  return html`<ul class="labels" aria-label="Labels">
    ${entries.map(([key, value]) => html`<li>${key}=${value}</li>`)}
  </ul>`;
}

function removalColumn(clusters: readonly string[]): Html {
  return html` <li class="stage removal">
    <h3>Then remove</h3>
    <p>the resources are deleted from ${count(clusters.length, 'cluster')}</p>
    ${clusterCards(clusters.map((name) => ({ name, labels: {}, errors: [] })))}
  </li>`;
}

function leftOutSection(clusters: readonly ClusterView[]): Html {
  if (clusters.length === 0) return html``;
  return html`<section class="left-out">
    <h2>In no stage: ${count(clusters.length, 'cluster')}</h2>
    ${clusters.length > mostCards ? cellList(clusters.map(({ name }) => name)) : cardList(clusters)}
  </section>`;
}
