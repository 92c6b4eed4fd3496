import type { Cause, ClusterProgress, Diagnosis, GateProgress, StageProgress } from '../../diagnosis/diagnosis.js';
import { count } from '../../engine/message.js';
import { html, reportPage, type Html } from '../../http/html.js';
import { planCss } from '../../http/plan-html.js';
import { healthWords, objectText, sinceText, titleOf, type DiagnosisReport } from './diagnosis-model.js';

/** A page for the runs that were diagnosed. */
export function diagnosisHtml({ diagnoses, errors, now }: DiagnosisReport): string {
  const [only] = diagnoses;
  const title =
    diagnoses.length === 1 && only !== undefined
      ? `Diagnosis of ${titleOf(only)}`
      : `Diagnosis of ${count(diagnoses.length, 'run')}`;
  return reportPage(
    title,
    planCss + css,
    html`${errors.map(({ file, message }) => html`<p class="bad">error: ${file}: ${message}</p>`)}
    ${diagnoses.map((diagnosis) => runSection(diagnosis, now))}`,
  );
}

function runSection(diagnosis: Diagnosis, now: number): Html {
  const { health, doing, causes, expect, unseen } = diagnosis;
  return html`<section class="run">
    <h2>${titleOf(diagnosis)} <span class="health ${health}">${healthWords[health]}</span></h2>
    <p>${doing}</p>
    ${
      causes.length === 0
        ? html``
        : html`<ol class="causes" aria-label="Why">
            ${causes.map((cause) => causeItem(cause, now))}
          </ol>`
    }
    ${expect.map((text) => html`<p class="soft">${text}</p>`)}
    ${unseen.length === 0 ? html`` : html`<p class="soft">Not seen: ${unseen.join(', ')}</p>`} ${board(diagnosis)}
  </section>`;
}

function causeItem({ what, evidence, fix }: Cause, now: number): Html {
  const [sentence = '', ...commands] = fix.split('\n');
  return html`<li>
    <strong>${what}</strong>
    <ul class="evidence" aria-label="Evidence">
      ${evidence.map((one) => html`<li><code>${objectText(one)}</code> <code>${one.field}</code>: ${one.value} <span class="soft">${sinceText(one, now)}</span></li>`)}
    </ul>
    ${sentence === '' ? html`` : html`<p>${sentence}</p>`}
    ${commands.length === 0 ? html`` : html`<pre tabindex="0">${commands.join('\n')}</pre>`}
  </li>`;
}

function board({ stages, removal, run }: Diagnosis): Html {
  if (stages.length === 0) return html``;
  const columns = stages.flatMap((stage, at) => stageColumns(stage, at + 1));
  const last = removal.length === 0 ? [] : [column('Then remove', removal)];
  return html`<div class="board" role="region" aria-label="Stages of ${run.name}" tabindex="0">
    <ol class="stages">
      ${[...columns, ...last]}
    </ol>
  </div>`;
}

function stageColumns({ name, clusters, before, after }: StageProgress, position: number): readonly Html[] {
  return [
    ...before.map((task) => gate(task, `before ${name}`)),
    column(`${String(position)}. ${name}`, clusters),
    ...after.map((task) => gate(task, `after ${name}`)),
  ];
}

const gateWords: Readonly<Record<GateProgress['state'], string>> = {
  passed: 'passed',
  open: 'waiting',
  ahead: 'to come',
};

function gate({ what, state }: GateProgress, when: string): Html {
  return html`<li class="gate ${state}"><strong>${what}</strong> <span>${when}: ${gateWords[state]}</span></li>`;
}

const clusterWords: Readonly<Record<ClusterProgress['state'], string>> = {
  updated: 'updated',
  updating: 'updating',
  stuck: 'stuck',
  failed: 'failed',
  ahead: 'to come',
};

/** What needs eyes comes first; of the many that are as they should be, all stand behind it. */
const order: readonly ClusterProgress['state'][] = ['stuck', 'failed', 'updating', 'ahead', 'updated'];

function column(title: string, clusters: readonly ClusterProgress[]): Html {
  const groups = order.flatMap((state) => {
    const names = clusters.filter((cluster) => cluster.state === state);
    return names.length === 0 ? [] : [group(state, names)];
  });
  return html`<li class="stage">
    <h3>${title}</h3>
    ${groups.length === 0 ? html`<p class="soft">no clusters</p>` : groups}
  </li>`;
}

/** More than this of one state stand behind a line that opens. */
const mostShown = 40;

function group(state: ClusterProgress['state'], clusters: readonly ClusterProgress[]): Html {
  const head = `${String(clusters.length)} ${clusterWords[state]}`;
  const cells = html`<ul class="cells ${state}">
    ${clusters.map(({ name }) => html`<li>${name}</li>`)}
  </ul>`;
  if (clusters.length <= mostShown)
    return html`<p class="soft">${head}</p>
      ${cells}`;
  return html`<details>
    <summary>${head}</summary>
    ${cells}
  </details>`;
}

const css = `
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.45 system-ui, sans-serif; }
main { padding: 1.5rem; max-width: 90rem; margin: 0 auto; }
h1 { font-size: 1.4rem; overflow-wrap: anywhere; } h2 { font-size: 1.2rem; overflow-wrap: anywhere; }
.run { border-top: 1px solid var(--line); padding-top: .5rem; }
.soft { color: var(--soft); margin: .2rem 0; } .bad { color: var(--bad); }
.health { font-size: .875rem; border: 1px solid; border-radius: 1rem; padding: .1rem .6rem; } .health.wrong { color: var(--bad); } .health.waiting { color: var(--warn); } .health.well { color: var(--good); }
.causes { padding-left: 1.4rem; overflow-wrap: anywhere; } .causes > li { margin: .6rem 0; }
.evidence { padding-left: 1rem; margin: .3rem 0; font-size: .9375rem; }
.cells { list-style: none; margin: .2rem 0 .6rem; padding: 0; display: flex; flex-wrap: wrap; gap: .3rem; } .cells li { border: 1px solid var(--line); background: var(--card); border-radius: .3rem; padding: .1rem .4rem; font-size: .875rem; overflow-wrap: anywhere; }
.cells.stuck li, .cells.failed li { border: 2px solid var(--bad); color: var(--bad); font-weight: 600; } .cells.updating li { border-color: var(--gate); color: var(--gate); } .cells.updated li { color: var(--good); }
.gate.open { border-style: solid; border-width: 2px; font-weight: 600; } .gate.passed { color: var(--good); border-color: var(--good); }
`;
