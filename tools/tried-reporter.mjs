import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { reports } from './tried.mjs';

const root = new URL('..', import.meta.url).pathname;

/** What the programs of a suite are called in the README. */
const modules = {
  'kube-apiserver': ['Kubernetes', 'k8s.io/kubernetes'],
  helm: ['Helm', 'helm.sh/helm/v3'],
  'cert-manager-controller': ['cert-manager', 'github.com/cert-manager/cert-manager'],
};

/** Writes down with which versions the tests have passed; `tools/tried.mjs` makes the table of the README of it. */
export default class TriedReporter {
  constructor(_config, { folder = reports } = {}) {
    this.folder = folder;
  }

  onRunComplete(contexts, { testResults }) {
    for (const { config } of contexts) {
      const suite = config.displayName?.name;
      const files = testResults.filter(({ testFilePath }) => isOf(config, testFilePath));
      const passed = files.filter(
        ({ numFailingTests, numPassingTests }) => numFailingTests === 0 && numPassingTests > 0,
      );
      if (suite === undefined || passed.length === 0) continue;
      const programs = versionsOf(config.globals['programs'] ?? {});
      const tried = passed
        .map((file) => [relative(root, file.testFilePath), [...usedIn(file, programs), ...versionsIn(file)]])
        .filter(([, versions]) => versions.length > 0);
      write(join(this.folder, `${suite}.json`), Object.fromEntries(tried));
    }
  }
}

/** Projects are told apart by the folders of their tests; two that have one in common never run together. */
function isOf({ testMatch, rootDir }, path) {
  const folders = { e2e: '/test/e2e/', endurance: '/test/endurance/' };
  const folder = Object.values(folders).find((each) => path.startsWith(`${rootDir}${each}`));
  return folder === undefined ? !testMatch.some((match) => /e2e|endurance/.test(match)) : testMatch[0].includes(folder);
}

/** Go writes the module and its version into each program. */
function versionsOf(programs) {
  return Object.entries(programs).flatMap(([name, path]) => {
    const [what, module] = modules[name] ?? [];
    if (what === undefined) return [];
    const head = `mod\t${module}\tv`;
    const program = readFileSync(path);
    const at = program.indexOf(head);
    const version = /^[0-9.]+(?=\t)/.exec(program.toString('latin1', at + head.length, at + head.length + 40))?.[0];
    return at < 0 || version === undefined ? [] : [[what, version]];
  });
}

/** All files have a hub and the chart; cert-manager only its own. */
function usedIn({ testFilePath }, programs) {
  return programs.filter(([what]) => what !== 'cert-manager' || basename(testFilePath).startsWith(what));
}

/** Of what is no program, the titles of the tests tell. */
function versionsIn({ testFilePath, testResults }) {
  const titles = testResults
    .filter(({ status }) => status === 'passed')
    .flatMap(({ ancestorTitles }) => ancestorTitles)
    .join('\n');
  const all = (pattern) => [...new Set([...titles.matchAll(pattern)].map(([, version]) => version))];
  if (basename(testFilePath) === 'package.test.ts') return all(/^on Node (\d+)/gm).map((version) => ['Node', version]);
  const kubefleet = all(/^(?:the hub agent of|beside the definitions of KubeFleet) (main|v[0-9.]+)$/gm);
  return kubefleet.map((version) => ['KubeFleet', version]);
}

/** Beside what other runs of the suite have reported of other files. */
function write(path, tried) {
  let before = {};
  try {
    before = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    // The first one.
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, JSON.stringify({ ...before, ...tried }, undefined, 2));
}
