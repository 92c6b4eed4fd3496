import { count } from '../engine/message.js';
import { durationText, isSkipped, type ClusterView, type PlanView, type StageView } from '../fleet/plan-view.js';
import type { Severity } from '../engine/rule.js';
import type { FindingJson } from '../engine/verdict.js';
import { html, reportPage, type Html } from './html.js';

/** A run with its plan; no plan where the fleet does not allow one, and the findings say why. */
export interface PlannedRun {
  readonly title: string;
  readonly plan: PlanView | undefined;
  /** Left out where nobody has judged the run. */
  readonly findings?: readonly FindingJson[];
}

/** A page for one run. */
export function planPage(run: PlannedRun): string {
  return reportPage(
    `Plan of ${run.title}`,
    pageCss + planCss,
    html`<h2>Stages</h2>
      ${planSection(run)}`,
  );
}

/** The plan of one run, for a page of one's own; `planCss` has its looks. */
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
        <dd>${durationText(plan.shortestSeconds)}</dd>
      </div>
    </dl>
    ${plan.assumption === undefined ? html`` : html`<p>${plan.assumption}</p>`} ${leftOutSection(plan.leftOut)}
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

function clusterCards(clusters: readonly ClusterView[], ifNone = ''): Html {
  if (clusters.length === 0) return html`<p class="empty">No cluster${ifNone}.</p>`;
  return html`<ul class="clusters">
    ${clusters.map(
      ({ name, labels, errors }) =>
        html` <li class="cluster${errors.length > 0 ? ' wrong' : ''}">
          <strong>${name}</strong>${errors.map((error) => html`<p class="error">${error}</p>`)}${labelList(labels)}
        </li>`,
    )}
  </ul>`;
}

function labelList(labels: ClusterView['labels']): Html {
  const entries = Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
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
    <h3>In no stage</h3>
    ${clusterCards(clusters)}
  </section>`;
}

const pageCss = `
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; }
main { padding: 1.5rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.2rem; }
`;

/** The looks of a plan; colours hold at least 4.5 to 1 against their ground, in light and in dark. */
export const planCss = `
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #4a5460; --paper: #ffffff; --card: #f3f5f7; --line: #c4ccd4; --bad: #a40e26; --warn: #7a4a00; --good: #116329; --gate: #2f4ea1; }
@media (prefers-color-scheme: dark) { :root { --ink: #e8ecf0; --soft: #b3bdc7; --paper: #14181d; --card: #20262d; --line: #4a5460; --bad: #ff8f9b; --warn: #f0b429; --good: #6fd587; --gate: #9db7ff; } }
.facts { display: flex; flex-wrap: wrap; gap: .5rem 2rem; } .facts div { display: flex; gap: .5rem; } .facts dt { color: var(--soft); } .facts dd { margin: 0; font-weight: 600; }
.findings { list-style: none; padding: 0; } .findings li { border-left: .3rem solid var(--warn); padding: .3rem .8rem; margin: .5rem 0; background: var(--card); } .findings li.deny { border-color: var(--bad); } .findings .deny strong { color: var(--bad); } .findings .warn strong { color: var(--warn); }
pre { overflow-x: auto; margin: .4rem 0 0; white-space: pre-wrap; font-size: .875rem; }
.sound { color: var(--good); }
.board { overflow-x: auto; } .board:focus-visible, pre:focus-visible { outline: .2rem solid var(--gate); }
.stages { display: flex; align-items: stretch; gap: .75rem; list-style: none; margin: 0; padding: .25rem; }
.stage h3, .left-out h3 { font-size: 1.05rem; margin: 0; }
.stage { flex: 0 0 15rem; border: 1px solid var(--line); border-radius: .5rem; padding: .75rem; } .stage p { margin: .2rem 0 .6rem; color: var(--soft); } .removal { border-style: dashed; }
.gate { flex: 0 0 auto; align-self: center; max-width: 8rem; text-align: center; color: var(--gate); border: 1px dashed var(--gate); border-radius: .5rem; padding: .5rem; } .gate span { display: block; font-size: .875rem; }
.clusters { list-style: none; margin: 0; padding: 0; display: grid; gap: .5rem; }
.cluster { background: var(--card); border: 1px solid var(--line); border-radius: .4rem; padding: .4rem .6rem; overflow-wrap: anywhere; } .cluster.wrong { border: 2px solid var(--bad); } .cluster p.error { color: var(--bad); margin: .1rem 0; font-weight: 600; }
.labels { list-style: none; margin: .2rem 0 0; padding: 0; font-size: .8125rem; color: var(--soft); }
.left-out { border: 2px solid var(--bad); border-radius: .5rem; padding: .75rem; margin: 0 0 1rem; } .left-out .clusters { grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); margin-top: .5rem; }
@media (max-width: 40rem) { main { padding: 1rem; } .stages { flex-direction: column; } .stage { flex: none; } .gate { align-self: stretch; max-width: none; } }
`;
