import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  afterwards,
  kubectl,
  labelClusters,
  listSnapshots,
  otherwise,
  setState,
  shellWord,
  showLabels,
} from '../../../src/rules/wording/commands.js';
import { harmlessJson } from '../../../src/fleet/quoted.js';
import { hostile, paste, voicesIn } from '../../support/hostile.js';

/** The words that a shell makes of a command line. */
function wordsOf(line: string): readonly string[] {
  const { stdout, stderr } = spawnSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
  expect(stderr).toBe('');
  return stdout.split('\0').slice(0, -1);
}

describe('a word for the shell', () => {
  test.each(['release-42', 'env=prod', 'a.b/c:d@e,f', '--type=merge', '50%'])('%s stays bare', (word) => {
    expect(shellWord(word)).toBe(word);
  });

  test.each(['', ' ', '$HOME', '`id`', '$(id)', "it's", '"', '*', '~', '!x', '#', 'a\nb', ';', '\\', '{a,b}', "''"])(
    '%p comes through as one word',
    (word) => {
      expect(wordsOf(shellWord(word))).toEqual([word]);
    },
  );

  test('any texts come through as they are', () => {
    // No command line of a Unix system can hold a NUL.
    const text = fc.string({ unit: 'grapheme' }).filter((word) => !word.includes('\0'));
    const nasty = fc.string({ unit: fc.constantFrom("'", '"', '\\', '$', '`', '\n', ' ', '!', '*', 'a') });
    fc.assert(
      fc.property(fc.array(fc.oneof(text, nasty), { minLength: 1 }), (words) => {
        expect(wordsOf(words.map(shellWord).join(' '))).toEqual(words);
      }),
    );
  });
});

describe('a kubectl command', () => {
  test('names the twin of its scope', () => {
    expect(kubectl('get', { family: 'UpdateRun', name: 'a', namespace: undefined }, '-o', 'yaml')).toBe(
      'kubectl get clusterstagedupdateruns a -o yaml',
    );
    expect(kubectl('get', { family: 'UpdateRun', name: 'a', namespace: 'team-a' })).toBe(
      'kubectl get stagedupdateruns a -n team-a',
    );
  });

  test('may leave the name out', () => {
    expect(kubectl('get', { family: 'Placement', namespace: 'team-a' })).toBe(
      'kubectl get resourceplacements -n team-a',
    );
  });

  test('finds member clusters in cluster scope', () => {
    expect(kubectl('get', { family: 'MemberCluster', name: 'eu', namespace: 'team-a' })).toBe(
      'kubectl get memberclusters eu',
    );
  });

  test('sets the state of a run', () => {
    const line = setState('release', 'team-a', 'Stop');
    expect(line).toBe(`kubectl patch stagedupdateruns release -n team-a --type=merge -p '{"spec":{"state":"Stop"}}'`);
    expect(JSON.parse(wordsOf(line).at(-1) ?? '')).toEqual({ spec: { state: 'Stop' } });
  });

  test.each(['--all', 'a\nb', '-n', '', 'A', 'a b', `x'; touch y`, '$(id)'])(
    'is none for what cannot be the name of an object: %j',
    (name) => {
      for (const line of [
        kubectl('delete', { family: 'UpdateRun', name, namespace: undefined }),
        kubectl('delete', { family: 'UpdateRun', name: 'release', namespace: name }),
        labelClusters([name], [['ring', '0']]),
        labelClusters(['eu'], [[name === '' ? '-' : `${name}/-`, '0']]),
        listSnapshots(name, undefined),
      ]) {
        expect(line).toMatch(/^# no command for this [A-Za-z]+: [a-z ]+$/);
        expect(otherwise(line)).toBe(line);
        expect(afterwards(line)).toBe(line);
      }
      expect(showLabels(['eu', name])).toBe('kubectl get memberclusters --show-labels');
    },
  );

  test('hands on JSON as it is, whatever is in it', () => {
    const value = { key: hostile };
    const line = kubectl('patch', { family: 'UpdateRun', name: 'a', namespace: undefined }, '-p', harmlessJson(value));
    expect(voicesIn(line).filter((voice) => !voice.includes('order') && !voice.includes('quote'))).toEqual([]);
    const { calls, isOwned } = paste([line]);
    expect(isOwned).toBe(false);
    expect(JSON.parse(calls[0]?.at(-1) ?? '')).toEqual(value);
  });

  test('gives a cluster a label, or takes it away', () => {
    expect(labelClusters(['eu', 'us'], [['ring', '0']])).toBe('kubectl label memberclusters eu us ring=0 --overwrite');
    expect(labelClusters(['eu'], [['ring', undefined]])).toBe('kubectl label memberclusters eu ring- --overwrite');
    expect(labelClusters(['eu'], [['ring', 'a b']])).toMatch(/^# no command/);
  });
});
