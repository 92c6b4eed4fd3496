// The table of the README of what has been run with which versions: written from what the suites reported when they ran.
//   node tools/tried.mjs          writes it
//   node tools/tried.mjs --check  fails where it says something else than the suites
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = new URL('..', import.meta.url).pathname;
const readme = join(root, 'README.md');

/** Where the reporter writes. It goes with the packages: what ran before the last `npm ci` is forgotten. */
export const reports = join(root, 'node_modules', '.cache', 'stageguard', 'tried');

/** By suite, what has been tried with a version. */
const phrases = {
  Kubernetes: {
    e2e: 'all of it, end to end',
    endurance: 'the long proofs',
    oldest: 'what the API server judges by itself: the conditions of the webhooks, and the floor',
  },
  KubeFleet: {
    unit: 'recorded outcomes of its hub agent',
    e2e: 'rollouts with its definitions, and ours compared with them',
  },
  Helm: { e2e: 'the chart, end to end', endurance: 'installs, upgrades and removals under load' },
  'cert-manager': { endurance: 'certificates that it issues and renews under load' },
  Node: { unit: 'the package: program and library' },
};

const begin = '<!-- Written by `npm run tried` from what the suites have run with. Do not edit. -->';
const end = '<!-- End of what is written. -->';

/** `tried`: by suite, the versions by what they are of. */
export function tableOf(tried) {
  const rows = Object.entries(phrases).flatMap(([what, bySuite]) => {
    const versions = [...new Set(Object.keys(bySuite).flatMap((suite) => tried[suite]?.[what] ?? []))];
    return versions.sort(newestFirst).map((version) => {
      const suites = Object.keys(bySuite).filter((suite) => tried[suite]?.[what]?.includes(version));
      return [what, version, suites.map((suite) => bySuite[suite]).join('; ')];
    });
  });
  const all = [['what', 'version', 'what has been run with it'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column].length)));
  const line = (cells) => `| ${cells.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`;
  const [head, ...rest] = all.map(line);
  return [head, line(widths.map((width) => '-'.repeat(width))), ...rest].join('\n');
}

function newestFirst(one, other) {
  return Number(other === 'main') - Number(one === 'main') || other.localeCompare(one, 'en', { numeric: true });
}

/** What the suites reported, by suite. */
function reported() {
  const files = readdirSync(reports).filter((name) => name.endsWith('.json'));
  return Object.fromEntries(
    files.map((file) => {
      const byWhat = {};
      for (const [what, version] of Object.values(JSON.parse(readFileSync(join(reports, file), 'utf8'))).flat()) {
        byWhat[what] = [...new Set([...(byWhat[what] ?? []), version])];
      }
      return [file.replace('.json', ''), byWhat];
    }),
  );
}

/** A table as it stands in a text. */
export const marked = (table) => `${begin}\n\n${table}\n\n${end}`;

/** The rows of the table in a text. */
export function rowsIn(text) {
  const table = text.slice(text.indexOf(begin) + begin.length, text.indexOf(end));
  const lines = table.split('\n').filter((line) => line.startsWith('|'));
  return lines.slice(2).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** Of these it depends on the machine which are there: other versions of Node, KubeFleet's own definitions. */
const dependsOnMachine = ['Node', 'KubeFleet'];

/** What is wrong with a table, and what this machine could not tell. */
export function compare(rows, tried) {
  const keyOf = ([what, version, ...rest]) =>
    [what, version, ...(dependsOnMachine.includes(what) ? [] : rest)].join(' ');
  const fresh = rowsIn(marked(tableOf(tried)));
  const [said, run] = [rows, fresh].map((each) => new Set(each.map(keyOf)));
  const unsaid = [...run].filter((key) => !said.has(key)).map((key) => `${key}: has been run, and is not in it`);
  const unrun = rows.filter((row) => !run.has(keyOf(row)));
  const isExcused = ([what]) => dependsOnMachine.includes(what);
  return {
    problems: [...unsaid, ...unrun.filter((row) => !isExcused(row)).map((row) => `${keyOf(row)}: has not been run`)],
    unconfirmed: unrun.filter(isExcused).map(keyOf),
  };
}

function main() {
  const text = readFileSync(readme, 'utf8');
  const tried = reported();
  if (process.argv.includes('--check')) {
    const { problems, unconfirmed } = compare(rowsIn(text), tried);
    if (unconfirmed.length > 0) console.log(`Not run on this machine: ${unconfirmed.join(', ')}.`);
    for (const problem of problems) console.error(`README.md, "Tried with": ${problem}`);
    process.exitCode = problems.length > 0 ? 1 : 0;
    return;
  }
  const missing = Object.values(phrases)
    .flatMap(Object.keys)
    .filter((suite) => tried[suite] === undefined);
  if (missing.length > 0) throw new Error(`not all suites have run here: ${[...new Set(missing)].join(', ')}`);
  const [before, after] = [text.indexOf(begin), text.indexOf(end) + end.length];
  writeFileSync(readme, `${text.slice(0, before)}${marked(tableOf(tried))}${text.slice(after)}`);
}

if (import.meta.url === `file://${process.argv[1]}`) main();
