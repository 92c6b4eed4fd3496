import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { LogTally } from '../../src/cli/adopt/tally.js';
import { exemptionText } from '../../src/engine/exemption.js';
import { isVisible } from '../../src/fleet/quoted.js';
import { catalogue } from '../../src/rules/index.js';
import { run } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';

interface Line {
  readonly time?: string;
  readonly [field: string]: unknown;
}

const decided = (more: Line = {}): string =>
  JSON.stringify({
    level: 'info',
    time: '2026-11-17T10:00:00.000Z',
    uid: 'u',
    endpoint: 'validate',
    kind: 'StagedUpdateStrategy',
    object: 'team-a/rings',
    operation: 'CREATE',
    user: 'alice',
    dryRun: false,
    decision: 'admit',
    version: '0.1.0',
    rules: [],
    ms: 1,
    msg: 'decided',
    ...more,
  });

const spared = (more: Line = {}): string =>
  decided({ modes: 'strategy-wait-time=audit', wouldRefuse: 'strategy-wait-time', ...more });
const write = (name: string, ...lines: string[]): string => {
  const file = join(scratchFolder(), name);
  writeFileSync(file, lines.map((line) => `${line}\n`).join(''));
  return file;
};
const quiet = write('config.yaml', 'defaultMode: audit', 'rules: {strategy-size: "off", strategy-tasks-valid: deny}');

/** The lines below a title. */
const under = (out: string, title: string): string[] => {
  const [, below = ''] = out.split(new RegExp(`^${title}.*\\n`, 'm'));
  const [text = ''] = below.split('\n\n');
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
};

describe('adopt', () => {
  const lines = [
    decided(),
    spared({ time: '2026-11-16T10:00:00.000Z' }),
    '[pod/stageguard-1/guard] ' + spared({ time: '2026-11-18T10:00:00.000Z' }),
    spared({ user: 'bob', object: 'team-b/rings' }),
    decided({ decision: 'refuse', modes: 'strategy-tasks-valid=deny', rules: ['strategy-tasks-valid'] }),
    decided({ kind: 'ClusterStagedUpdateRun', object: 'release', bypass: 'run-frozen: "INC-7"', user: 'carol' }),
    spared({ dryRun: true }),
    decided({ decision: 'unavailable' }),
    spared({ endpoint: 'mutate' }),
    JSON.stringify({ level: 'info', msg: 'the fleet is known' }),
    'not json with "decided"',
    '',
  ];

  test('tells which rules can refuse today, which cannot and why, and who used an exemption', async () => {
    const { code, out, err } = await run(['adopt', '-', '--config', quiet], { input: lines.join('\n') });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.split('\n')[0]).toBe(
      '8 decisions in 11 lines, from 2026-11-16T10:00:00.000Z to 2026-11-18T10:00:00.000Z; 1 dry run not counted below; ' +
        '1 not judged, for the guard could not answer in time',
    );
    expect(under(out, 'Cannot refuse yet')).toEqual([
      'strategy-wait-time: 3 of 5 writes',
      'alice  CREATE StagedUpdateStrategy team-a/rings  2 times, last 2026-11-18T10:00:00.000Z',
      'bob    CREATE StagedUpdateStrategy team-b/rings  1 time, last 2026-11-17T10:00:00.000Z',
    ]);
    expect(under(out, 'Can refuse today')).toEqual(
      expect.arrayContaining(['strategy-stages-present (5 writes)', 'run-has-clusters (1 write)']),
    );
    expect(under(out, 'In the settings')).toEqual(expect.arrayContaining(['rules:', 'strategy-stages-present: deny']));
    expect(under(out, 'Not seen')).toContain('approval-conditions');
    expect(under(out, 'Off')).toEqual(['strategy-size']);
    expect(under(out, 'Refuse already')).toEqual(['strategy-tasks-valid (1 refusal)']);
    expect(under(out, 'Exemptions')).toEqual([
      'carol  release  1 time, last 2026-11-17T10:00:00.000Z  run-frozen: "INC-7"',
    ]);
  });

  test('reads files, and says of rules what is stored', async () => {
    const audit = write('audit.json', JSON.stringify({ findings: [{ rule: 'strategy-stages-present' }, { rule: 7 }] }));
    const argv = ['adopt', write('a.log', ...lines.slice(0, 1)), write('b.log', ...lines.slice(1)), '--audit', audit];
    const { out } = await run([...argv, '--config', quiet]);
    expect(under(out, 'Can refuse today')).toContain(
      'strategy-stages-present (5 writes); stored objects break it 1 time, and are let be until they are changed',
    );
  });

  test('says the same for programs', async () => {
    const { out } = await run(['adopt', '-', '--config', quiet, '--format', 'json'], { input: lines.join('\n') });
    const json = JSON.parse(out) as { rules: { rule: string }[] };
    expect(json).toMatchObject({
      decisions: 8,
      dryRuns: 1,
      unjudged: 1,
      exemptions: [{ text: 'run-frozen: "INC-7"' }],
    });
    expect(json.rules.map(({ rule }) => rule)).toEqual(catalogue.map(({ id }) => id));
    expect(json.rules.find(({ rule }) => rule === 'strategy-wait-time')).toMatchObject({
      ...{ mode: 'audit', advice: 'cannot yet', writes: 5, wouldRefuse: 3 },
      offenders: [{ write: { user: 'alice' }, times: 2 }, { write: { user: 'bob' } }],
    });
  });

  test('what is no log of a guard ends with 2', async () => {
    expect(await run(['adopt', '-'], { input: 'hello\n' })).toMatchObject({
      code: 2,
      err: 'standard input: no decision of a guard in 1 line\n',
    });
    expect(await run(['adopt', '/nowhere.log'])).toMatchObject({ code: 2, out: '' });
    expect(await run(['adopt', scratchFolder()])).toMatchObject({ code: 2, out: '' });
    const audit = write('no-audit.json', '[]');
    expect(await run(['adopt', '-', '--audit', audit], { input: decided() })).toMatchObject({ code: 2 });
  });

  test('values of a log are values', async () => {
    const evil = '\u001b[31m\n::error::$(id)`\u202e';
    const input = spared({
      user: evil,
      object: evil,
      kind: evil,
      operation: evil,
      time: evil,
      bypass: exemptionText({ rule: 'run-frozen', reason: evil }),
    });
    const { out } = await run(['adopt', '-'], { input });
    expect(out.split('\n').filter((line) => !isVisible(line))).toEqual([]);
    expect(out).not.toMatch(/^\s*::|\$\(|`/m);
    const json = await run(['adopt', '-', '--format', 'json'], { input });
    expect(json.out.split('\n').filter((line) => !isVisible(line))).toEqual([]);
    expect(JSON.parse(json.out)).toMatchObject({ exemptions: [{ write: { user: evil } }] });
  });

  test('lines that make no sense are no reason to stop', async () => {
    const strange = [
      decided({ wouldRefuse: '__proto__,constructor,no-such-rule', modes: '=deny,__proto__=deny', kind: '__proto__' }),
      '{"msg":"decided","endpoint":"validate","wouldRefuse":7,"modes":{},"user":null}',
      '{"msg":"decided"',
      '{"a":'.repeat(60_000) + '"decided"',
    ];
    const { code, out } = await run(['adopt', '-', '--format', 'json'], { input: strange.join('\n') });
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ decisions: 2, lines: 4, tooLong: 1 });
  });
});

test('the memory of a tally does not grow with the log', () => {
  const tally = new LogTally(catalogue);
  for (let at = 0; at < 20_000; at++) {
    tally.add(spared({ user: `user-${String(at)}`, bypass: `run-frozen: "${String(at)}"` }));
  }
  const { exemptions, moreExemptions, rules } = tally.result();
  expect({ kept: exemptions.length, more: moreExemptions }).toEqual({ kept: 200, more: 19_800 });
  const waits = rules.find(({ rule }) => rule.id === 'strategy-wait-time');
  expect({ kept: waits?.offenders.length, more: waits?.moreOffences }).toEqual({ kept: 10, more: 19_990 });
});
