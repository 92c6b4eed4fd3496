import { createHash } from 'node:crypto';
import { modeOf, type Policy } from '../engine/policy.js';
import type { Rule } from '../engine/rule.js';
import type { IndexedFleet } from '../fleet/indexed-fleet.js';
import { families } from '../fleet/kinds.js';
import type { FleetObject } from '../fleet/model.js';
import { version } from '../version.js';
import type { DecisionRecord } from './decision-record.js';

/** Something more to show: a heading, and lines that keep their layout. */
export interface PageSection {
  readonly title: string;
  readonly text: string;
}

export interface PageContent {
  readonly fleet: IndexedFleet;
  readonly rules: readonly Rule[];
  readonly policy: Policy;
  readonly decisions: readonly DecisionRecord[];
  readonly sections: readonly PageSection[];
}

/** More of a family only makes the page slow. */
const mostObjects = 200;

const style = `
body{font:15px/1.5 system-ui,sans-serif;max-width:72rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}
table{border-collapse:collapse;width:100%}th,td{text-align:left;padding:.2rem .8rem .2rem 0;vertical-align:top;border-bottom:1px solid #ddd}td:first-child,code{white-space:nowrap}
code,pre{font:13px/1.5 ui-monospace,monospace}pre,section{overflow-x:auto}
.refuse{color:#b00020;font-weight:600}.retry,.unavailable{color:#8a5a00;font-weight:600}.admit,.patch{color:#1b6e2c}
@media(prefers-color-scheme:dark){body{color:#e6e6e6;background:#161616}th,td{border-color:#333}.refuse{color:#ff8a9a}.retry,.unavailable{color:#f0b45c}.admit,.patch{color:#7fd28f}}
`;

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
export function renderPage(content: PageContent): string {
  const body = [
    `<h1>stageguard ${escape(version)}</h1>`,
    '<p>Judges writes to staged rollouts. This guard knows its fleet from manifests; nothing is stored.</p>',
    section('Last decisions', decisionTable(content.decisions)),
    ...content.sections.map(({ title, text }) => section(title, `<pre>${escape(text)}</pre>`)),
    section('Fleet', fleetTable(content.fleet)),
    section('Rules', ruleTable(content.rules, content.policy)),
  ].join('\n');
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>stageguard</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body>
${body}
</body></html>
`;
}

function section(title: string, content: string): string {
  return `<section><h2>${escape(title)}</h2>\n${content}</section>`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '<p>None yet.</p>';
  const line = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${line(head, 'th')}</thead>\n<tbody>${rows.map((row) => line(row, 'td')).join('\n')}</tbody></table>`;
}

function decisionTable(decisions: readonly DecisionRecord[]): string {
  return table(
    ['time', 'user', 'write', 'decision', 'rules'],
    decisions.map(({ at, user, operation, kind, namespace, name, subresource, decision, rules, dryRun }) => {
      const object = [...(namespace === undefined ? [] : [namespace]), name].join('/');
      const part = subresource === undefined ? '' : `/${subresource}`;
      return [
        escape(new Date(at).toISOString().slice(11, 19)),
        escape(user),
        escape(`${operation} ${kind}${part} ${object}${dryRun ? ' (dry run)' : ''}`),
        `<span class="${decision}">${decision}</span>`,
        rules.map((rule) => `<code>${escape(rule)}</code>`).join(' '),
      ];
    }),
  );
}

function fleetTable(fleet: IndexedFleet): string {
  return table(
    ['family', 'objects'],
    families.map((family) => [escape(family), objectList(fleet.all(family))]),
  );
}

function objectList(objects: readonly FleetObject[]): string {
  const shown = objects.slice(0, mostObjects).map(({ metadata: { namespace, name } }) => {
    const text = namespace === undefined ? name : `${namespace}/${name}`;
    return `<code>${escape(text)}</code>`;
  });
  const rest = objects.length - shown.length;
  if (shown.length === 0) return 'none';
  return `${shown.join(' ')}${rest > 0 ? ` and ${String(rest)} more` : ''}`;
}

function ruleTable(rules: readonly Rule[], policy: Policy): string {
  return table(
    ['rule', 'mode', 'law'],
    rules.map((rule) => [`<code>${escape(rule.id)}</code>`, modeOf(policy, rule, undefined), escape(rule.title)]),
  );
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');
}
