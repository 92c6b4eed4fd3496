import { availableParallelism } from 'node:os';
import {
  buildPrograms,
  endurancePrograms,
  findPrograms,
  journeyPrograms,
  oldestPrograms,
} from './test/e2e/harness/programs.mjs';

const typescript = {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  transform: {
    '\\.ts$': ['@swc/jest', { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' }, module: { type: 'es6' } }],
  },
};

const unit = {
  ...typescript,
  displayName: 'unit',
  testMatch: ['<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/e2e/', '<rootDir>/test/endurance/'],
};

const e2e = (programs) => ({
  ...typescript,
  displayName: 'e2e',
  // One test kills a runner that is at something else.
  testMatch: [process.env['STAGEGUARD_E2E_MATCH'] ?? '<rootDir>/test/e2e/**/*.test.ts'],
  globals: { programs, runner: process.pid },
});

const endurance = (programs) => ({
  ...e2e(programs),
  displayName: 'endurance',
  testMatch: ['<rootDir>/test/endurance/**/*.test.ts'],
});

/** What the API server judges by itself, on the oldest one: the expressions of the webhooks and of the floor. */
const oldest = (programs) => ({
  ...e2e({ ...programs, 'kube-apiserver': programs['oldest-kube-apiserver'] }),
  displayName: 'oldest',
  testMatch: ['<rootDir>/test/e2e/floor/**/*.test.ts', '<rootDir>/test/e2e/match-conditions.test.ts'],
  // There the controller manager judges, which is a newer one.
  testPathIgnorePatterns: ['type-checking'],
});

const suites = {
  endurance: { names: endurancePrograms, project: endurance },
  oldest: { names: oldestPrograms, project: oldest },
};

/**
 * A build of the programs takes minutes, so a plain `npm test` never starts one: it runs the end-to-end suite where they
 * are there and says so where they are not. `npm run test:e2e` and CI build them, and there a missing one is a failure.
 */
function onRealServers() {
  const wanted = process.env['STAGEGUARD_E2E'] ?? '';
  if (wanted === 'off') return [];
  const isRequired = wanted === 'build' || wanted in suites || process.env['CI'] === 'true';
  const { names, project } = suites[wanted] ?? { names: journeyPrograms, project: e2e };
  const programs = findPrograms(names) ?? (isRequired ? buildPrograms(names) : undefined);
  if (programs !== undefined) return [project(programs)];
  console.error('The end-to-end suite is skipped: no API server is here. `npm run test:e2e` builds one, once.');
  return [];
}

export default {
  testSequencer: '<rootDir>/test/sequencer.mjs',
  projects: [unit, ...onRealServers()],
  // A file of the end-to-end suite waits more than it works: three at a time, even on two cores. Of the long proofs, some
  // write by the clock, and need a core for themselves.
  maxWorkers: Math.max(process.env['STAGEGUARD_E2E'] === 'endurance' ? 2 : 3, Math.ceil(availableParallelism() / 2)),
  coverageProvider: 'babel',
  // No test measures time; on a busy machine of two cores a large one takes a while.
  testTimeout: 30_000,
  reporters: ['default', ...['e2e', 'tried', 'count'].map((name) => `<rootDir>/tools/${name}-reporter.mjs`)],
};
