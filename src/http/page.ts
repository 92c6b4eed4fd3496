import { createHash } from 'node:crypto';
import { modeOf, type Policy } from '../engine/policy.js';
import type { Rule } from '../engine/rule.js';
import type { IndexedFleet } from '../fleet/indexed-fleet.js';
import { families } from '../fleet/kinds.js';
import type { FleetObject } from '../fleet/model.js';
import { version } from '../version.js';
import type { DecisionRecord } from './decision-record.js';
import { html, styleElement, type Html } from './html.js';
import { planCss } from './plan-css.js';
import { planSection, type PlannedRun } from './plan-html.js';

export interface PageContent {
  readonly fleet: IndexedFleet;
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  readonly decisions: readonly DecisionRecord[];
  readonly plans: readonly PlannedRun[];
}

/** More of a family only makes the page slow. */
const mostObjects = 200;

const ownStyle = `
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.2rem .8rem .2rem 0;vertical-align:top;border-bottom:1px solid #ddd}td:first-child,code{white-space:nowrap}
code,pre{font:13px/1.5 ui-monospace,monospace}pre,section{overflow-x:auto}
.refuse{color:#b00020;font-weight:600}.retry,.unavailable{color:#8a5a00;font-weight:600}.admit,.patch{color:#1b6e2c}
summary{cursor:pointer;padding:.2rem 0}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}th,td{border-color:#333}.refuse{color:#ff8a9a}.retry,.unavailable{color:#f0b45c}.admit,.patch{color:#7fd28f}}
`;

const style = planCss + ownStyle;

/** Nothing is loaded, run or sent: the one style is allowed by its hash, the empty icon by its scheme. */
export const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The read-only page of a guard that runs on manifests. */
export function renderPage({ fleet, rules, policy, decisions, plans }: PageContent): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>stageguard</title>
        <link rel="icon" href="data:," />
        ${styleElement(style)}
      </head>
      <body>
        <h1>stageguard ${version}</h1>
        <p>Judges writes to staged rollouts. This guard knows its fleet from manifests; nothing is stored.</p>
        ${section('Last decisions', decisionTable(decisions))} ${section('Plans', planList(plans))}
        ${section('Fleet', fleetTable(fleet))} ${section('Rules', ruleTable(rules, policy))}
      </body>
    </html> `.text;
}

function section(title: string, content: Html): Html {
  return html`<section>
    <h2>${title}</h2>
    ${content}
  </section>`;
}

function table(head: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  if (rows.length === 0) return html`<p>None yet.</p>`;
  const names = head.map((name) => html`<th scope="col">${name}</th>`);
  return html`<table>
    <thead>
      <tr>
        ${names}
      </tr>
    </thead>
    <tbody>
      ${rows.map(
        (row) =>
          html`<tr>
            ${row.map((cell) => html`<td>${cell}</td>`)}
          </tr> `,
      )}
    </tbody>
  </table>`;
}

type Cell = string | Html;

function decisionTable(decisions: readonly DecisionRecord[]): Html {
  return table(
    ['time', 'user', 'write', 'decision', 'rules'],
    decisions.map(({ at, user, operation, kind, namespace, name, subresource, decision, rules, dryRun }) => {
      const object = [...(namespace === undefined ? [] : [namespace]), name].join('/');
      const part = subresource === undefined ? '' : `/${subresource}`;
      return [
        new Date(at).toISOString().slice(11, 19),
        user,
        `${operation} ${kind}${part} ${object}${dryRun ? ' (dry run)' : ''}`,
        html`<span class="${decision}">${decision}</span>`,
        codes(rules),
      ];
    }),
  );
}

function planList(plans: readonly PlannedRun[]): Html {
  if (plans.length === 0) return html`<p>The fleet holds no run.</p>`;
  return html`${plans.map(
    (run) =>
      html`<details>
        <summary>${run.title}</summary>
        ${planSection(run)}
      </details> `,
  )}`;
}

function fleetTable(fleet: IndexedFleet): Html {
  return table(
    ['family', 'objects'],
    families.map((family) => [family, objectList(fleet.all(family))]),
  );
}

function objectList(objects: readonly FleetObject[]): Html {
  if (objects.length === 0) return html`none`;
  const rest = objects.length - mostObjects;
  const names = objects
    .slice(0, mostObjects)
    .map(({ metadata: { namespace, name } }) => (namespace === undefined ? name : `${namespace}/${name}`));
  return html`${codes(names)}${rest > 0 ? ` and ${String(rest)} more` : ''}`;
}

function ruleTable(rules: readonly Rule[], policy: Policy): Html {
  return table(
    ['rule', 'mode', 'what it asks for'],
    rules.map((rule) => [codes([rule.id]), modeOf(policy, rule, undefined), rule.title]),
  );
}

function codes(texts: readonly string[]): Html {
  return html`${texts.map((text, index) => html`${index > 0 ? ' ' : ''}<code>${text}</code>`)}`;
}
