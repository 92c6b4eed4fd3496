import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { entries } from '../../src/config/entries.js';
import { defaultConfig } from '../../src/config/load.js';
import { parseConfig } from '../../src/config/read.js';
import { run } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';

const text = `$schema: ../schemas/config.schema.json
defaultMode: audit
rules:
  run-finished: deny
namespaces:
  team-a:
    defaultMode: warn
    rules: {strategy-size: off}
namespaceLabels:
  - label: tier=prod
    rules: {run-deleted: deny}
`;
const write = (content: string): string => {
  const file = join(scratchFolder(), 'stageguard.yaml');
  writeFileSync(file, content);
  return file;
};

describe('config check', () => {
  test('says that a file is in order', async () => {
    const file = write(text);
    expect(await run(['config', 'check', file])).toEqual({ code: 0, out: `${file}: no problems\n`, err: '' });
  });

  test('names each problem with its line, and ends with 2', async () => {
    const file = write('defaultMode: audt\nruls: {}\n');
    const { code, out, err } = await run(['config', 'check', file]);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err.split('\n').sort()).toEqual([
      '',
      `${file}:1:1: defaultMode: expected deny, warn, audit or off, found "audt"; did you mean "audit"?`,
      `${file}:2:1: ruls: there is no such key; did you mean "rules"?`,
    ]);
  });

  test('wants a file, and one that is there', async () => {
    expect(await run(['config', 'check'])).toMatchObject({ code: 2, err: 'name the file to check\n' });
    expect(await run(['config', 'check', '/nowhere.yaml'])).toMatchObject({ code: 2, out: '' });
  });
});

describe('config show', () => {
  test('prints what holds, as settings that mean the same, with the line or the default it comes from', async () => {
    const file = write(text);
    const { code, out } = await run(['config', 'show', file]);
    expect(code).toBe(0);
    expect(parseConfig('shown', out)).toEqual(parseConfig(file, text));
    expect(out).toContain(`defaultMode: audit # ${file}:2\n`);
    expect(out).toContain(`strategy-size: off # ${file}:8\n`);
    expect(out).toContain(`label: tier=prod # ${file}:10\n`);
    expect(out).toContain('concurrency: exclusive # default\n');
  });

  test('without a file prints the defaults', async () => {
    const { out } = await run(['config', 'show']);
    expect(parse(out)).toEqual(defaultConfig());
    expect(out).toContain('defaultSeconds: 3 # default\n');
  });

  test('prints values as values', async () => {
    const file = write(JSON.stringify({ message: { footer: '\u001b[31m\n::error::x\u202e' } }));
    const { out } = await run(['config', 'show', file]);
    expect(['\u001b', '\u202e'].filter((hidden) => out.includes(hidden))).toEqual([]);
    expect(out).not.toMatch(/^::/m);
    expect(parseConfig('shown', out)).toEqual(parseConfig(file, JSON.stringify(parse(out))));
  });
});

describe('rules by settings', () => {
  const rows = async (...args: string[]): Promise<Record<string, [string, string]>> => {
    const { code, out } = await run(['rules', '--format', 'json', '--config', write(text), ...args]);
    expect(code).toBe(0);
    const { rules } = JSON.parse(out) as { rules: { id: string; mode: string; from: string }[] };
    expect(rules.map(({ id }) => id)).toEqual(entries.map(({ id }) => id));
    return Object.fromEntries(rules.map(({ id, mode, from }) => [id, [mode, from.replace(/^.*stageguard\.yaml/, '')]]));
  };

  test('in cluster scope: by name, else by the default mode', async () => {
    const found = await rows();
    expect(found['run-finished']).toEqual(['deny', ':4 rules']);
    expect(found['strategy-size']).toEqual(['audit', ':2 defaultMode']);
  });

  test('in a namespace, by its name', async () => {
    const found = await rows('--namespace', 'team-a', '--label', 'tier=prod');
    expect(found['run-finished']).toEqual(['warn', ':7 namespaces.team-a.defaultMode']);
    expect(found['strategy-size']).toEqual(['off', ':8 namespaces.team-a.rules']);
    expect(found['run-deleted']?.[0]).toBe('warn');
  });

  test('in a namespace, by its labels', async () => {
    const found = await rows('--namespace', 'b', '--label', 'x=y', '--label', 'tier=prod');
    expect(found['run-deleted']).toEqual(['deny', ':11 namespaceLabels.0.rules']);
    expect((await rows('--namespace', 'b'))['run-deleted']).toEqual(['audit', ':2 defaultMode']);
  });

  test('as a table, with the default of a rule where nothing is set', async () => {
    const file = write('rules: {run-finished: warn}');
    const { out } = await run(['rules', '--config', file]);
    const lines = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(lines[0]).toEqual(['RULE', 'MODE', 'APPLIES TO', 'BY']);
    expect(lines.find(([id]) => id === 'run-finished')).toEqual([
      'run-finished',
      'warn',
      'UpdateRun',
      `${file}:1 rules`,
    ]);
    expect(lines.find(([id]) => id === 'strategy-size')?.slice(-1)).toEqual(['default of the rule']);
  });

  test('options that say nothing alone are wrong use', async () => {
    expect(await run(['rules', '--namespace', 'a'])).toMatchObject({ code: 2, err: '--namespace needs --config\n' });
    expect(await run(['rules', '--config', write(''), '--label', 'a=b'])).toMatchObject({
      code: 2,
      err: '--label needs --namespace\n',
    });
  });
});
