import { basename, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { catalogue } from '../../src/rules/index.js';
import { checkReport, exitCodeFor, type CheckReport } from '../../src/cli/report/model.js';
import { judgeManifests } from '../../src/guard/manifest-judge.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import type { Finding } from '../../src/engine/verdict.js';
import { fleetIn } from '../../src/sources/manifests/fleet-files.js';
import { fleetOf } from '../../src/sources/manifests/objects.js';
import { readManifests } from '../../src/sources/manifests/read.js';
import { now, run } from '../support/captured-io.js';
import { exampleFiles } from '../support/examples.js';

const root = join(import.meta.dirname, '..', '..');
const fleet = join(root, 'examples', 'fleet');
const ids = new Set(catalogue.map(({ id }) => id));

const known = await readManifests([fleet]);

/** Judges one file against the example fleet, as the command does. */
async function check(path: string): Promise<CheckReport & { code: number }> {
  const manifests = await readManifests([join(root, path)]);
  const input = { manifests, known: fleetIn(known), rules: catalogue, policy: defaultPolicy, now };
  const report = checkReport(input, judgeManifests(input));
  return { ...report, code: exitCodeFor(report, 'deny') };
}

const said = (findings: readonly Finding[], severity: string): string[] => [
  ...new Set(findings.filter((finding) => finding.severity === severity).map(({ rule }) => rule)),
];

const filesIn = (folder: string): [string, string][] =>
  exampleFiles(folder).map(({ path }) => [path, basename(path).replace(/\.[^.]*$/, '')]);

describe('every file of examples/bad is refused by the rule it is named after, and by no other', () => {
  test.each(filesIn('bad'))('%s', async (path, rule) => {
    expect(ids).toContain(rule);
    const { code, findings, errors } = await check(path);
    expect(errors).toEqual([]);
    expect(said(findings, 'deny')).toEqual([rule]);
    expect(code).toBe(1);
  });
});

describe('every file of examples/good passes without a word', () => {
  test.each(filesIn('good'))('%s', async (path) => {
    expect(await check(path)).toMatchObject({ code: 0, findings: [], errors: [] });
  });
});

describe('every file of examples/warn passes with the warning of the rule it is named after', () => {
  test.each(filesIn('warn'))('%s', async (path, rule) => {
    expect(ids).toContain(rule);
    const { code, findings, errors } = await check(path);
    expect(errors).toEqual([]);
    expect(said(findings, 'deny')).toEqual([]);
    expect(said(findings, 'warn')).toContain(rule);
    expect(code).toBe(0);
  });
});

test.each([
  ['good', 0],
  ['bad', 1],
  ['warn', 0],
])('the folder examples/%s as a whole ends with %s, as its guide says', async (name, expected) => {
  const { code } = await run(['check', join(root, 'examples', name), '--fleet', fleet]);
  expect(code).toBe(expected);
});

test('the example fleet is read without a fault', () => {
  expect([...known.problems, ...fleetOf(known.documents, 'complete').problems]).toEqual([]);
});

describe('settings that freeze', () => {
  const config = join(root, 'examples', 'settings', 'run-frozen.yaml');
  const manifest = join(root, 'examples', 'good', 'run-explicit-index.yaml');

  test.each(['check', 'plan'])('%s says when a run could start', async (command) => {
    const { code, out } = await run([command, manifest, '--fleet', fleet, '--config', config]);
    expect(code).toBe(1);
    expect(out).toContain('freeze "year-end" holds: runs may start again from 2027-01-04T06:00:00Z on');
    const after = { now: () => Date.parse('2027-01-04T06:00:00Z') };
    expect(await run([command, manifest, '--fleet', fleet, '--config', config], after)).toMatchObject({ code: 0 });
  });

  test('check says so without a fleet, of a run that can be no rollback', async () => {
    const started = join(root, 'examples', 'good', 'run-first-rollout.yaml');
    expect(await run(['check', started, '--config', config])).toMatchObject({
      code: 1,
      out: expect.stringContaining('freeze "year-end" holds: runs may start again from 2027-01-04T06:00:00Z on'),
    });
  });

  test('an audit holds no stored run against them', async () => {
    const { out } = await run(['audit', '--fleet', fleet, '--config', config]);
    expect(out).not.toContain('run-frozen');
  });
});
