import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { bugReport } from '../../../src/cli/program/bug-report.js';
import { processIo } from '../../../src/cli/program/io.js';
import { entries } from '../../../src/config/entries.js';
import { run } from '../../support/captured-io.js';

describe('the command line', () => {
  test.each([
    [['--help']],
    [['help']],
    [['check', '--help']],
    [['rules', '--help']],
    [['explain', '--help']],
    [['--version']],
  ])('%j prints to standard output and ends with 0', async (argv) => {
    const { code, out, err } = await run(argv);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).not.toBe('');
  });

  test.each(['check', 'rules', 'explain'])('the help of %s has examples', async (name) => {
    expect((await run([name, '--help'])).out).toContain('Examples:');
  });

  test.each([
    [[]],
    [['nonsense']],
    [['--nonsense']],
    [['explain']],
    [['explain', 'a', 'b']],
    [['rules', '--format', 'x']],
  ])('%j is wrong use: exit 2, told on standard error', async (argv) => {
    const { code, out, err } = await run(argv);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).not.toBe('');
  });

  test('a command that is nearly right is suggested', async () => {
    expect((await run(['chek'])).err).toContain('check');
  });

  test('a bug ends with 3, and has its stack only with --debug', async () => {
    const broken = {
      now: () => {
        throw new TypeError('the clock is gone');
      },
      input: 'apiVersion: v1\nkind: A',
    };
    const short = await run(['check', '-'], broken);
    expect(short.code).toBe(3);
    expect(short.err).toMatch(/^stageguard has a bug: the clock is gone\nPlease report it/);
    expect((await run(['--debug', 'check', '-'], broken)).err).toContain('    at ');
    expect(bugReport('a string', true)).toContain('a string');
  });
});

describe('rules', () => {
  test('lists every rule in a table', async () => {
    const { code, out } = await run(['rules']);
    expect(code).toBe(0);
    expect(out.trimEnd().split('\n')).toHaveLength(entries.length + 1);
    for (const { id, title } of entries) {
      expect(out.split('\n').filter((line) => line.startsWith(`${id} `) && line.endsWith(title))).toHaveLength(1);
    }
  });

  test('lists every rule in JSON', async () => {
    const { rules } = JSON.parse((await run(['rules', '--format', 'json'])).out) as { rules: { id: string }[] };
    expect(rules.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
  });
});

describe('explain', () => {
  test('tells why, how to fix it and how to soften it', async () => {
    for (const { id, title, why, fix } of entries) {
      const { code, out } = await run(['explain', id]);
      expect(code).toBe(0);
      for (const text of [id, title, why, fix, 'rules:\n']) expect(out).toContain(text);
    }
  });

  test('takes the id with the brackets that refusals put around it', async () => {
    expect((await run(['explain', '[strategy-stages-disjoint]'])).code).toBe(0);
  });

  test('suggests the nearest id', async () => {
    expect(await run(['explain', 'strategy-stage-disjoint'])).toEqual({
      code: 2,
      out: '',
      err: 'there is no rule "strategy-stage-disjoint"; did you mean "strategy-stages-disjoint"?\n',
    });
    expect((await run(['explain', 'zebra'])).err).toContain('`stageguard rules` lists all');
  });
});

describe('colours', () => {
  const coloured = (isTTY: boolean, env: NodeJS.ProcessEnv): boolean => {
    const stream = { isTTY, on: () => undefined };
    return processIo({ stdin: stream, stdout: stream, stderr: stream, env, argv: [] } as unknown as NodeJS.Process)
      .isColoured;
  };

  test.each<[boolean, NodeJS.ProcessEnv, boolean]>([
    [true, {}, true],
    [false, {}, false],
    [true, { NO_COLOR: '1' }, false],
    [true, { NO_COLOR: '' }, true],
    [true, { TERM: 'dumb' }, false],
    [false, { FORCE_COLOR: '1' }, true],
    [true, { FORCE_COLOR: '0' }, false],
    [false, { FORCE_COLOR: '' }, false],
    [true, { FORCE_COLOR: '1', NO_COLOR: '1' }, false],
  ])('terminal %s with %j: %s', (isTTY, env, expected) => {
    expect(coloured(isTTY, env)).toBe(expected);
  });
});

describe('the bundle', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stageguard-bundle-'));
  const bin = join(folder, 'stageguard.mjs');
  const repository = join(import.meta.dirname, '..', '..', '..');

  beforeAll(() => {
    execFileSync(process.execPath, [join(repository, 'tools', 'build.mjs'), bin]);
  }, 60_000);
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  const spawn = (...argv: string[]): Promise<{ code: number; out: string }> =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [bin, ...argv], { cwd: repository }, (_error, out) => {
        resolve({ code: child.exitCode ?? -1, out });
      });
    });

  test('runs as a program, with its real exit codes and all of its output', async () => {
    expect(await spawn('check', 'examples/good', '--fleet', 'examples/fleet')).toMatchObject({ code: 0 });
    const bad = await spawn('check', 'examples/bad', '--fleet', 'examples/fleet', '--format', 'json');
    expect(bad.code).toBe(1);
    expect(JSON.parse(bad.out)).toMatchObject({ errors: [] });
    expect(await spawn('check', 'nowhere')).toMatchObject({ code: 2 });
    expect(await spawn('nonsense')).toMatchObject({ code: 2, out: '' });
  }, 60_000);
});
