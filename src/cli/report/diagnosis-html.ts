import type { Cause, ClusterProgress, Diagnosis, GateProgress, StageProgress } from '../../diagnosis/diagnosis.js';
import { count } from '../../engine/message.js';
import { html, reportPage, type Html } from '../../http/html.js';
import { cellList } from '../../http/cells-html.js';
import { pageCss, planCss } from '../../http/plan-css.js';
import { healthWords, objectText, sinceText, titleOf, type DiagnosisReport } from './diagnosis-model.js';

/** A page for the runs that were diagnosed. */
export function diagnosisHtml({ diagnoses, errors, now }: DiagnosisReport): string {
  const [only] = diagnoses;
  const isAlone = diagnoses.length === 1;
  const title =
    isAlone && only !== undefined ? `Diagnosis of ${titleOf(only)}` : `Diagnosis of ${count(diagnoses.length, 'run')}`;
  return reportPage(
    title,
    planCss + pageCss + css,
    html`${errors.map(({ file, message }) => html`<p class="bad">error: ${file}: ${message}</p>`)}
      ${diagnoses.length > 1 ? overview(diagnoses) : html``}
      ${diagnoses.map((diagnosis, at) => runSection(diagnosis, { now, at, isAlone }))}
      <p class="soft">As of ${new Date(now).toISOString().replace('T', ' ').slice(0, 19)} UTC</p>`,
  );
}

/** What to read first, where there are several runs. */
function overview(diagnoses: readonly Diagnosis[]): Html {
  return html`<ul class="overview" aria-label="Runs">
    ${diagnoses.map(
      (diagnosis, at) =>
        html`<li>${badge(diagnosis)} <a href="#run-${at}">${titleOf(diagnosis)}</a>: ${diagnosis.state}</li>`,
    )}
  </ul>`;
}

function badge({ health }: Diagnosis): Html {
  return html`<span class="health ${health}">${healthWords[health]}</span>`;
}

interface Around {
  readonly now: number;
  readonly at: number;
  readonly isAlone: boolean;
}

function runSection(diagnosis: Diagnosis, { now, at, isAlone }: Around): Html {
  const { doing, causes, expect, unseen } = diagnosis;
  return html`<section class="run" id="run-${at}">
    ${isAlone ? html`` : html`<h2>${titleOf(diagnosis)}</h2>`}
    <p class="doing">${badge(diagnosis)} ${doing}</p>
    ${
      causes.length === 0
        ? html``
        : html`<ol class="causes" aria-label="Why">
            ${causes.map((cause) => causeItem(cause, { now, health: diagnosis.health }))}
          </ol>`
    }
    ${
      expect.length === 0
        ? html``
        : html`<ul class="expect" aria-label="What to expect">
            ${expect.map((text) => html`<li>${text}</li>`)}
          </ul>`
    }
    ${unseen.length === 0 ? html`` : html`<p class="soft">Not seen: ${unseen.join(', ')}</p>`} ${board(diagnosis)}
  </section>`;
}

function causeItem(
  { what, evidence, fix }: Cause,
  { now, health }: Pick<Around, 'now'> & Pick<Diagnosis, 'health'>,
): Html {
  const [sentence = '', ...commands] = fix.split('\n');
  return html`<li class="${health}">
    <p class="label">Why</p>
    <p class="what">${what}</p>
    <ul class="evidence" aria-label="Evidence">
      ${evidence.map((one) => html`<li><code>${objectText(one)}</code> <code>${one.field}</code>: ${one.value} <span class="soft">${sinceText(one, now)}</span></li>`)}
    </ul>
    ${fix === '' ? html`` : html`<p class="label">What to do</p>`}
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

function group(state: ClusterProgress['state'], clusters: readonly ClusterProgress[]): Html {
  return html`<p class="soft">${clusters.length} ${clusterWords[state]}</p>
    ${cellList(
      clusters.map(({ name }) => name),
      state,
    )}`;
}

const css = `
.run + .run { border-top: 1px solid var(--line); margin-top: 2.5rem; padding-top: .5rem; }
.overview { padding-left: 0; list-style: none; } .overview li { margin: .4rem 0; overflow-wrap: anywhere; } .overview a { color: var(--gate); }
.soft { color: var(--soft); margin: .2rem 0; } .bad { color: var(--bad); } .doing { font-size: 1.0625rem; overflow-wrap: anywhere; }
.health { display: inline-block; vertical-align: middle; font-size: .875rem; font-weight: 600; line-height: 1.4; border: 1px solid; border-radius: 1rem; padding: .05rem .65rem; } .health.wrong { color: var(--bad); } .health.waiting { color: var(--warn); } .health.well { color: var(--good); }
.causes { list-style: none; padding: 0; overflow-wrap: anywhere; } .causes > li { margin: .75rem 0; padding: .75rem 1rem; background: var(--card); border-left: .3rem solid var(--line); border-radius: .3rem; } .causes > li.wrong { border-color: var(--bad); } .causes > li.waiting { border-color: var(--warn); } .causes p { margin: .2rem 0 .5rem; }
.label { color: var(--soft); font-size: .8125rem; font-weight: 600; letter-spacing: .02em; } .causes p.label { margin: .6rem 0 0; } .causes p.label:first-child { margin-top: 0; } .what { font-weight: 600; }
.evidence { padding-left: 1.1rem; margin: .3rem 0; font-size: .9375rem; } .evidence .soft { display: block; font-size: .875rem; }
.causes pre { background: var(--paper); border: 1px solid var(--line); border-radius: .3rem; padding: .6rem .75rem; white-space: pre; overflow-wrap: normal; }
.expect { color: var(--soft); padding-left: 1.1rem; }
.cells.stuck li, .cells.failed li { border: 2px solid var(--bad); color: var(--bad); font-weight: 600; } .cells.updating li { border-color: var(--gate); color: var(--gate); } .cells.updated li { color: var(--good); }
.gate.open { border-style: solid; border-width: 2px; font-weight: 600; } .gate.passed { color: var(--good); border-color: var(--good); }
.board { margin: 1rem 0; }
`;
