import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { findProblems } from './support/architecture.js';
import type { Room } from './support/architecture.js';

const pure = (...rooms: string[]): Room => ({ rooms, packages: [], node: false, pure: true });
const rim = (rooms: Room['rooms'], ...packages: string[]): Room => ({ rooms, packages, node: true });

/** Who may know whom. Nobody but cli and main knows cli; the cluster's client lives in hub alone. */
const rooms: Record<string, Room> = {
  errors: pure(),
  version: pure(),
  fleet: pure('errors'),
  engine: pure('fleet', 'errors'),
  rules: pure('engine', 'fleet'),
  mutations: pure('rules', 'engine', 'fleet'),
  floor: pure('engine', 'fleet'),
  diagnosis: pure('rules', 'engine', 'fleet'),
  log: rim([], 'pino'),
  clock: rim([]),
  'plain-file': rim([]),
  repository: rim([]),
  background: rim(['clock']),
  config: rim(['rules', 'engine', 'fleet', 'mutations', 'errors', 'plain-file', 'repository'], 'ajv', 'yaml'),
  hub: rim(
    ['fleet', 'errors', 'log', 'clock', 'background', 'plain-file'],
    ...['yaml', '@kubernetes/client-node', 'undici'],
  ),
  claims: rim(['hub', 'fleet', 'errors', 'log', 'clock', 'background']),
  certificates: rim(['hub', 'fleet', 'errors', 'log', 'background'], 'selfsigned'),
  schemas: rim(['fleet'], 'ajv', '@marcbachmann/cel-js'),
  sources: rim(['hub', 'schemas', 'fleet', 'errors', 'log', 'clock', 'background', 'repository'], 'yaml'),
  guard: rim([
    ...['rules', 'engine', 'fleet', 'mutations', 'diagnosis', 'hub', 'claims', 'schemas', 'sources', 'config'],
    ...['errors', 'log', 'clock'],
  ]),
  http: rim(
    ['guard', 'engine', 'fleet', 'mutations', 'certificates', 'config', 'errors', 'log', 'version'],
    ...['express', 'prom-client'],
  ),
  // A running guard is put together from everything, its HTTP included; nothing but cli knows it.
  'guard/serving': rim([
    ...['http', 'certificates', 'rules', 'engine', 'fleet', 'mutations', 'hub', 'claims', 'sources', 'config'],
    ...['errors', 'log', 'clock', 'background', 'plain-file'],
  ]),
  cli: rim('all', 'commander', 'yaml'),
  // What programs of others import: the reports of cli, without its commands.
  library: rim(['cli', 'guard', 'rules', 'engine', 'fleet', 'sources', 'config', 'errors']),
  main: rim(['cli', 'errors']),
};

function readSources(): Map<string, string> {
  const root = join(import.meta.dirname, '..', 'src');
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'));
  return new Map(files.map((path) => [path.split(sep).join('/'), readFileSync(join(root, path), 'utf8')]));
}

test('src keeps its folder arrows, its pure folders pure, and its files small', () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(0);
  expect(findProblems(sources, rooms)).toEqual([]);
});

test('a file directly in src/cli is a command, and they are no more than 20', () => {
  const root = join(import.meta.dirname, '..', 'src/cli');
  const files = readdirSync(root).filter((name) => name.endsWith('.ts'));
  const registered = readFileSync(join(root, 'program/commands.ts'), 'utf8').matchAll(/import\('\.\.\/([^']+)\.js'\)/g);
  expect(files).toEqual([...registered].map(([, name]) => `${name ?? ''}.ts`).sort());
  expect(files.length).toBeLessThanOrEqual(20);
});

const problemsOf = (files: Record<string, string>): string[] => findProblems(new Map(Object.entries(files)), rooms);

describe('the checker accepts', () => {
  test.each<[string, string, string]>([
    ['an arrow that points inwards', 'rules/run/a.ts', `import { defineRule } from '../../engine/rule.js';`],
    ['a neighbour in the same folder', 'fleet/a.ts', `import type { B } from './b.js';`],
    ['the client in hub', 'hub/a.ts', `import { KubeConfig } from '@kubernetes/client-node';`],
    ['a file below a package it may use', 'config/a.ts', `import Ajv from 'ajv/dist/2020.js';`],
    ['any folder from cli', 'cli/a.ts', `import { createApp } from '../http/app.js';`],
    ['impure words in text and comments', 'rules/a.ts', `// await fetch()\nexport const why = 'await process.exit';`],
    ['a field with the name of a global', 'fleet/a.ts', `export const f = (x: { process: 1 }) => x.process;`],
    ['parsing a date', 'fleet/a.ts', `export const at = (text: string) => new Date(text);`],
    ['a clock at the rim', 'http/a.ts', `export const now = async () => Date.now();`],
    ['a file of 250 lines', 'fleet/a.ts', 'export {};\n'.repeat(250)],
  ])('%s', (_name, path, text) => {
    expect(problemsOf({ [path]: text })).toEqual([]);
  });
});

describe('the checker refuses', () => {
  test.each<[string, string, string, string]>([
    [
      'an arrow outwards',
      'engine/a.ts',
      `import c from '../rules/index.js';`,
      'may not import rules (../rules/index.js)',
    ],
    ['a type of an outer folder', 'fleet/a.ts', `import type { R } from '../engine/rule.js';`, 'may not import engine'],
    ['a re-export', 'fleet/a.ts', `export * from '../engine/rule.js';`, 'may not import engine'],
    ['a dynamic import', 'http/a.ts', `export const f = () => import('../sources/a.js');`, 'may not import sources'],
    ['an inline type import', 'fleet/a.ts', `export type R = import('../log.js').Log;`, 'may not import log'],
    ['http outside of cli', 'claims/a.ts', `import { app } from '../http/app.js';`, 'may not import http'],
    ['a package in a pure folder', 'rules/a.ts', `import { parse } from 'yaml';`, 'may not import yaml'],
    ['a Node module in a pure folder', 'engine/a.ts', `import fs from 'node:fs';`, 'may not import node:fs'],
    ['the client outside of hub', 'sources/a.ts', `import 'undici';`, 'may not import undici'],
    ['a package whose name only begins alike', 'config/a.ts', `import 'ajv-formats';`, 'may not import ajv-formats'],
    ['a folder the table does not know', 'extras/a.ts', `export {};`, 'no row of the table covers this folder'],
    ['an async function', 'fleet/a.ts', `export async function f() {}`, ':1: async'],
    ['an async arrow', 'fleet/a.ts', `export const f = async () => 1;`, ':1: async'],
    ['an async method', 'fleet/a.ts', `export const f = { async g() {} };`, ':1: async'],
    ['await', 'rules/a.ts', `export {};\nawait 1;`, ':2: await'],
    ['an await loop', 'rules/a.ts', `for await (const a of []) a;`, ':1: await'],
    ['Date.now', 'engine/a.ts', `export const f = () => Date.now();`, ':1: Date.now'],
    ['new Date()', 'engine/a.ts', `export const f = () => new Date();`, ':1: new Date()'],
    ['Date()', 'engine/a.ts', `export const f = () => Date();`, ':1: Date()'],
    ['Math.random', 'mutations/a.ts', `export const f = () => Math.random();`, ':1: Math.random'],
    ['process', 'fleet/a.ts', `export const e = process.env;`, ':1: process'],
    ['console', 'fleet/a.ts', `console.log(1);`, ':1: console'],
    ['fetch', 'fleet/a.ts', `export const f = () => fetch('x');`, ':1: fetch'],
    ['a timer', 'fleet/a.ts', `setTimeout(() => 1, 1);`, ':1: setTimeout'],
    ['a file of 251 lines', 'fleet/a.ts', 'export {};\n'.repeat(251), '251 lines, more than 250'],
    ['a file name that says nothing', 'fleet/utils.ts', `export {};`, 'the name "utils" says nothing'],
    ['a folder name that says nothing', 'http/shared/a.ts', `export {};`, 'the name "shared" says nothing'],
  ])('%s', (_name, path, text, expected) => {
    const problems = problemsOf({ [path]: text });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(path);
    expect(problems[0]).toContain(expected);
  });

  test('a cycle, told once', () => {
    const files = {
      'fleet/a.ts': `import './b.js';`,
      'fleet/b.ts': `import type { C } from './c.js';`,
      'fleet/c.ts': `export { a } from './a.js';`,
      'fleet/d.ts': `import './a.js';`,
    };
    expect(problemsOf(files)).toEqual(['import cycle: fleet/a.ts -> fleet/b.ts -> fleet/c.ts -> fleet/a.ts']);
  });
});
