import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, expect, test } from '@jest/globals';
import { processIo } from '../../src/cli/program/io.js';
import { run } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';

const folder = scratchFolder();
const runOf = (index: string): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateRun
metadata:
  name: a
  annotations:
    first: one
    second: two
    third: three
    fourth: "\u001b[2J"
spec:
  placementName: shop
  stagedRolloutStrategyName: rings
  resourceSnapshotIndex: ${index}
  state: Run
`;
const wrong = runOf('"02"');
const right = runOf('"2"');

function fileOf(text = wrong, name = 'one.yaml'): string {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

describe('check --fix', () => {
  test('shows what it would write, and asks', async () => {
    const file = fileOf();
    const questions: string[] = [];
    const ask = (question: string) => Promise.resolve(questions.push(question) > 0);
    const { code, out, err } = await run(['check', file, '--fix'], { ask });
    expect({ code, questions }).toEqual({ code: 0, questions: ['Write 1 edit in 1 file? [y/N] '] });
    expect(out).toContain('1 object: no problems found');
    expect(err).toBe(`--- ${file}
+++ ${file}
@@ -10,5 +10,5 @@
 spec:
   placementName: shop
   stagedRolloutStrategyName: rings
-  resourceSnapshotIndex: "02"
+  resourceSnapshotIndex: "2"
   state: Run
1 edit in 1 file written.
`);
    expect(readFileSync(file, 'utf8')).toBe(right);
  });

  test('writes nothing after a no, and judges what stands there', async () => {
    const file = fileOf();
    const { code, out, err } = await run(['check', file, '--fix'], { ask: () => Promise.resolve(false) });
    expect(code).toBe(1);
    expect(out).toContain('[run-snapshot-index]');
    expect(err).toContain('Nothing is written.\n');
    expect(readFileSync(file, 'utf8')).toBe(wrong);
  });

  test('writes nothing where nobody can be asked', async () => {
    const file = fileOf();
    const { code, err } = await run(['check', file, '--fix']);
    expect(code).toBe(1);
    expect(err).toContain('+  resourceSnapshotIndex: "2"');
    expect(err).toContain('nobody can be asked here; --yes writes without asking');
    expect(readFileSync(file, 'utf8')).toBe(wrong);
  });

  test('shows changes that are far apart by themselves, and their lines as they are then', async () => {
    const file = fileOf(wrong.replace('metadata:\n  name: a', 'metadata:\n  name: a\n  label: {}'));
    const { err } = await run(['check', file, '--fix', '--yes']);
    expect(err).toContain('@@ -2,7 +2,7 @@\n kind:');
    expect(err).toContain('@@ -11,5 +11,5 @@\n spec:');
  });

  test('keeps reports for programs apart from what it says', async () => {
    const { code, out } = await run(['check', fileOf(), '--fix', '--yes', '--format', 'json']);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ errors: [], checked: 1 });
  });

  test('shows nothing that steers a terminal', async () => {
    const file = fileOf(wrong.replace('spec:', 'spec: # \u001b[2J'));
    const { err } = await run(['check', file, '--fix']);
    expect(err).toContain(' spec: # \\u001b[2J\n');
  });

  test('writes nothing over what somebody else has written meanwhile', async () => {
    const [one, two] = [fileOf(), fileOf(wrong.replace('name: a', 'name: b'), 'two.yaml')];
    const ask = () => {
      writeFileSync(two, `${wrong}# mine\n`);
      return Promise.resolve(true);
    };
    const { code, err } = await run(['check', one, two, '--fix'], { ask });
    expect({ code, err: err.split('\n').at(-2) }).toEqual({
      code: 2,
      err: `${two}: has changed while it was judged; nothing is written`,
    });
    expect(readFileSync(one, 'utf8')).toBe(wrong);
    expect(readFileSync(two, 'utf8')).toBe(`${wrong}# mine\n`);
  });

  test('keeps links and rights', async () => {
    const below = join(folder, 'linked');
    mkdirSync(below);
    writeFileSync(join(below, 'real.yaml'), wrong, { mode: 0o640 });
    symlinkSync('real.yaml', join(below, 'a-link.yaml'));
    expect((await run(['check', join(below, 'a-link.yaml'), '--fix', '--yes'])).code).toBe(0);
    expect(readFileSync(join(below, 'real.yaml'), 'utf8')).toBe(right);
    expect(statSync(join(below, 'real.yaml')).mode & 0o777).toBe(0o640);
  });

  test('touches no fleet', async () => {
    const fleet = fileOf(
      readFileSync('examples/fleet/strategies.yaml', 'utf8').replace('stages:', 'stagez:'),
      'fleet.yaml',
    );
    const before = readFileSync(fleet, 'utf8');
    await run(['check', fileOf(), '--fleet', fleet, '--fix-unsafe', '--yes']);
    expect(readFileSync(fleet, 'utf8')).toBe(before);
  });

  test.each([
    [['-', '--fix'], '--fix needs files: nothing can be written to standard input\n'],
    [['a.yaml', '--yes'], '--yes needs --fix or --fix-unsafe\n'],
  ])('%p is wrong use', async (args, message) => {
    expect(await run(['check', ...args])).toEqual({ code: 2, out: '', err: message });
  });
});

describe('a question at a terminal', () => {
  const terminal = (answer: string, isTTY = true) => {
    const stdin = Object.assign(new PassThrough(), { isTTY });
    const stderr = Object.assign(new PassThrough(), { isTTY });
    stdin.end(answer);
    const streams = { stdin, stderr, stdout: new PassThrough(), env: {}, argv: [] } as unknown as NodeJS.Process;
    return { io: processIo(streams), stderr };
  };

  test.each([
    ['y\n', true],
    ['Yes\n', true],
    ['n\n', false],
    ['\n', false],
    ['', false],
    ['yesterday\n', false],
  ])('%j is %p', async (answer, isYes) => {
    const { io, stderr } = terminal(answer);
    expect(await io.ask?.('Sure? ')).toBe(isYes);
    expect(String(stderr.read())).toContain('Sure? ');
  });

  test('is asked of nobody where there is none', () => {
    expect(Object.keys(terminal('y\n', false).io)).not.toContain('ask');
  });
});
