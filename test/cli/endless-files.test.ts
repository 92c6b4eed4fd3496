import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from '@jest/globals';
import { processIo } from '../../src/cli/program/io.js';
import { largestFile } from '../../src/sources/manifests/files.js';
import { run } from '../support/captured-io.js';

const root = mkdtempSync(join(tmpdir(), 'stageguard-endless-'));
afterAll(() => {
  rmSync(root, { recursive: true });
});
const manifest = join(root, 'strategy.yaml');
writeFileSync(
  manifest,
  'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: a}\n' +
    'spec: {stages: [{name: a, labelSelector: {matchLabels: {ring: a}}}]}\n',
);
const fifo = join(root, 'fifo.yaml');
execFileSync('mkfifo', [fifo]);
const link = join(root, 'link.yaml');
symlinkSync('/dev/zero', link);

/** A pipe that nobody writes to would be waited for, and a device read until memory ends. */
describe.each([
  ['a pipe', fifo],
  ['a link to a device', link],
])('%s is not read', (_, path) => {
  test.each<[string, readonly string[]]>([
    ['as a manifest', ['check', path]],
    ['as a fleet', ['check', manifest, '--fleet', path]],
    ['as settings', ['check', manifest, '--config', path]],
    ['as a kubeconfig', ['check', manifest, '--live', '--kubeconfig', path]],
    ['as the settings of a guard', ['serve', '--fleet', manifest, '--config', path]],
    ['as certificates to trust', ['try', manifest, '--ca', path]],
  ])('%s', async (_as, argv) => {
    const { code, out, err } = await run(argv);
    expect({ code, text: out + err }).toEqual({ code: 2, text: expect.stringMatching(/not a file|neither a file/) });
  });
});

describe('a link out of the repository that we are in is not read', () => {
  const inside = mkdtempSync(join(process.cwd(), 'node_modules', '.links-'));
  afterAll(() => {
    rmSync(inside, { recursive: true });
  });
  const out = join(inside, 'out.yaml');
  writeFileSync(join(root, 'settings.yaml'), 'd0-not-tell: 1\n');
  symlinkSync(join(root, 'settings.yaml'), out);

  test.each<[string, readonly string[]]>([
    ['as a manifest', ['check', out]],
    ['as a fleet', ['check', manifest, '--fleet', out]],
    ['as settings', ['check', manifest, '--config', out]],
    ['as cases', ['test', out]],
  ])('%s', async (_as, argv) => {
    const said = await run(argv);
    expect(said.code).toBe(2);
    expect(said.out + said.err).not.toContain('d0-not-tell');
  });
});

test('a report is not written through a link out of the repository that we are in, be it to something or nothing', async () => {
  const inside = mkdtempSync(join(process.cwd(), 'node_modules', '.links-'));
  const outside = join(root, 'theirs.txt');
  writeFileSync(outside, 'theirs');
  symlinkSync(outside, join(inside, 'there.json'));
  symlinkSync(join(root, 'nothing.json'), join(inside, 'gone.json'));
  symlinkSync('gone.json', join(inside, 'twice.json'));
  symlinkSync(root, join(inside, 'folder'));
  symlinkSync('own.json', join(inside, 'in.json'));
  try {
    for (const name of ['there.json', 'gone.json', 'twice.json', 'folder/new.json']) {
      const { code, err } = await run(['check', manifest, '--format', `json=${join(inside, name)}`]);
      expect([code, err]).toEqual([2, expect.stringContaining('a link leads out of the repository')]);
    }
    expect(readFileSync(outside, 'utf8')).toBe('theirs');
    expect(readdirSync(root).filter((name) => /nothing|new/.test(name))).toEqual([]);
    const { code } = await run(['check', manifest, '--format', `json=${join(inside, 'in.json')}`]);
    expect([code, existsSync(join(inside, 'own.json'))]).toEqual([0, true]);
  } finally {
    rmSync(inside, { recursive: true });
  }
});

test('standard input without end is given up as too large', async () => {
  const chunk = Buffer.alloc(1024 * 1024, '#');
  let given = 0;
  const stdin = new Readable({
    read() {
      given += chunk.length;
      // Whoever reads on is not stopped by a test that waits.
      this.push(given > 4 * largestFile ? null : chunk);
    },
  });
  const io = processIo({ ...process, stdin: stdin as unknown as typeof process.stdin });
  const bytes = await io.stdin();
  expect(bytes.length).toBeGreaterThan(largestFile);
  expect(given).toBeLessThan(largestFile + 10 * chunk.length);
});
