// docs/performance.md, of what was measured.

/** Without these there is nothing to write. */
export const neededForDocs = ['edge', 'api-server', 'live'];

const loads = ['strategy create', 'run create', 'approval status'];

/** The guard of version 0.1.0 before its edge was rebuilt, beside bare `node:https` on a machine of the same kind. */
const before = {
  'strategy create': { ofBare: 0.16, added: 1.8 },
  'run create': { ofBare: 0.06, added: 56 },
  'approval status': { ofBare: 0.11 },
};
const memoryBefore = 1045;

export function performanceText({ date, machine, results }) {
  const figuresOf = Object.fromEntries(results.map(({ bench, figures }) => [bench, figures]));
  const edge = lookup(figuresOf['edge']);
  const api = lookup(figuresOf['api-server']);
  const live = lookup(figuresOf['live']);
  return `# Performance

Written by \`npm run bench -- edge api-server live --docs\` on ${date}: ${machine.cpus} CPUs (${machine.model}), ${machine.memoryGiB} GiB,
Node ${machine.node.slice(1)}. \`npm run bench\` measures all of it again and fails where a target is missed; \`--quick\` only looks whether all of it
runs, and \`--json\` prints the figures.

About noise: whoever answers and whoever asks share the CPUs, so the numbers a second say little about another machine, and
differ by a tenth from run to run on the same one. That is why all are measured in turns, in rounds of a second each, and why
targets are set for ratios within a round: medians of five rounds, with the least and the greatest beside them.

## At the edge

Reviews over TLS and HTTP/1.1, 32 connections by h2load, against a fleet of 1,000 clusters and 100 placements of 100 clusters.
Runs are created for eight placements at the same time. Bare \`node:https\` parses the review and admits it; Express, a webhook
of controller-runtime (Go) and [Pepr](https://github.com/defenseunicorns/pepr) admit whatever they are asked. The guard judges by all its
rules, logs and counts.

${loads.map((load) => edgeTable(load, edge)).join('\n\n')}

| growth of the guard: 100 runs, strategies and placements against 10,000 | times as long | at most |
|---|---|---|
${loads.map((load) => `| ${load} | ${bounded(edge(`${load}, growth from 100 to 10,000 runs, strategies and placements`))} |`).join('\n')}

From its start to ready, with the fleet of \`examples/\`: ${told(edge('cold start to ready, standalone'))} ms (at most 500 ms).

## At the API server

Writes at a real API server, one after the other: what it takes by itself, with the policies of the [floor](floor.md), with a webhook of
controller-runtime that admits everything behind copies of the guard's hooks, and with the guard. *Added* is the difference of the medians
within a round.

${loads.map((load) => apiTable(load, api)).join('\n\n')}

A run is created behind four reads of the API server that start at the same time as that of the Lease, and one write of it. What they take by the
guard's own count:

| what | mean |
|---|---|
${api
  .all()
  .filter(({ what }) => what.endsWith(', mean'))
  .map(({ what, value }) => `| \`${what.replace(/, mean$/, '')}\` | ${value.toFixed(1)} ms |`)
  .join('\n')}

## Memory

A guard that starts on a hub with 1,000 clusters, 1,000 placements of 117 KB, 10,000 runs of 43 KB, 30,000 approvals and 10,000 snapshots, its
heap limited as by the chart:

| | now | at most | before |
|---|---|---|---|
| peak of the first sync | ${told(live('resident memory at the peak of the first sync'))} MB | 400 MB | ${memoryBefore} MB |
| after it | ${told(live('resident memory after the first sync'))} MB | 250 MB | |
| limit of the chart | ${told(live('limit of the chart'))} MB | | |
`;
}

function lookup(figures = []) {
  const byName = new Map(figures.map((figure) => [figure.what, figure]));
  return Object.assign((what) => byName.get(what), { all: () => figures.filter(({ value }) => value !== undefined) });
}

function edgeTable(load, edge) {
  const names = ['bare node:https', 'controller-runtime', 'Express', 'the guard', 'Pepr 1.1.4'];
  const rows = names.flatMap((name) => {
    const perSecond = edge(`${load}, ${name}`);
    if (perSecond === undefined) return [];
    const ofBare = edge(`${load}, ${name}, of bare`);
    const range = edge(`${load}, ${name}, range of ratios`)?.text ?? '';
    const target = ofBare?.atLeast ?? '';
    const earlier = name === 'the guard' ? before[load].ofBare.toFixed(2) : '';
    const p99 = told(edge(`${load}, ${name}, p99`));
    return [
      `| ${name} | ${told(perSecond)} | ${told(ofBare) || '1.00'} | ${range} | ${target} | ${earlier} | ${p99} ms |`,
    ];
  });
  return `| ${load}, ${edge(load)?.text ?? ''} | a second | of bare | range | at least | before | p99 |
|---|---|---|---|---|---|---|
${rows.join('\n')}`;
}

function apiTable(load, api) {
  const names = ['nothing', 'policies', 'controller-runtime', 'the guard'];
  const rows = names.flatMap((name) => {
    const [p50, p99, added] = ['p50', 'p99', 'added'].map((what) => api(`${load}, ${name}, ${what}`));
    if (p50 === undefined) return [];
    const earlier = name === 'the guard' && before[load].added ? `${before[load].added} ms` : '';
    const perSecond = told(api(`${load}, ${name}, 8 at a time`));
    return [
      `| ${name} | ${told(p50)} ms | ${told(p99)} ms | ${told(added)}${added ? ' ms' : ''} | ${earlier} | ${perSecond} |`,
    ];
  });
  const ratio = api(`${load}, added by the guard, by what controller-runtime adds`);
  const target =
    ratio === undefined
      ? ''
      : `\n\nThe guard adds ${told(ratio)} times what controller-runtime adds (at most ${ratio.atMost}).`;
  return `| ${load} | p50 | p99 | added | added before | a second, 8 at a time |
|---|---|---|---|---|---|
${rows.join('\n')}${target}`;
}

function bounded(figure) {
  return `${told(figure)} | ${figure?.atMost ?? ''}`;
}

function told(figure) {
  if (figure?.value === undefined) return '';
  const { value } = figure;
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(2);
}
