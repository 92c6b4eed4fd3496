import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import {
  behaves,
  behaviours,
  isNewer,
  isTooOld,
  isVersion,
  type Behaves,
  type BehaviourId,
} from '../../src/fleet/versions.js';
import { catalogue } from '../../src/rules/index.js';

const columns = ['v0.2.2', 'v0.3.0', 'v0.3.1', 'main', 'v0.4.0', 'auto'] as const;
const expected: Readonly<Record<BehaviourId, readonly Behaves[]>> = {
  'empty-stages-skipped': ['no', 'no', 'no', 'yes', 'yes', 'assumed'],
  'wait-times-strict': ['no', 'no', 'no', 'yes', 'yes', 'assumed'],
  'snapshots-by-runs': ['no', 'yes', 'yes', 'yes', 'yes', 'assumed'],
  'clusters-kept': ['no', 'no', 'no', 'no', 'perhaps', 'no'],
};

test.each(Object.entries(expected))('%s, version by version', (id, answers) => {
  expect(columns.map((version) => behaves(version, id as BehaviourId))).toEqual(answers);
});

describe('what is a version', () => {
  test.each(['v0.3.1', '0.3.1', '0.3', 'v0.4.0-rc.1', 'v0.3.1-arm64', 'v1.0.0+build.7', 'main'])('%s is', (text) => {
    expect(isVersion(text)).toBe(true);
  });

  test.each([
    ...['', 'auto', 'latest', 'stable', 'Main', 'v', 'v0', '1', '1a2b3c4', '0123456', 'v0.x', '0.3.1.4', 'v0.3.1 '],
    ...[
      '20260820',
      '2026.08.20',
      'v0.3.1-7-g1a2b3c4',
      'v0.3.1-7-g1a2b3c4-dirty',
      'release-0.3',
      `v0.3.1-${'a'.repeat(99)}`,
    ],
  ])('"%s" is not, and so not newer than the table, nor too old', (text) => {
    expect([isVersion(text), isNewer(text), isTooOld(text)]).toEqual([false, false, false]);
    expect(behaves(text, 'empty-stages-skipped')).toBe('assumed');
    expect(behaves(text, 'clusters-kept')).toBe('no');
  });

  test.each([
    ['v0.3.2', true],
    ['v0.4', true],
    ['v0.10.0', true],
    ['1.0.0', true],
    ['v0.3.1', false],
    ['v0.3', false],
    ['v0.3.1-rc.1', false],
    ['v0.2.9', false],
    ['main', false],
  ])('%s is newer than the table: %s', (version, answer) => {
    expect(isNewer(version)).toBe(answer);
  });

  test.each([
    ['v0.1.2', true],
    ['v0.2.0', false],
    ['v0.3.1', false],
    ['main', false],
  ])('%s is older than the rules: %s', (version, answer) => {
    expect(isTooOld(version)).toBe(answer);
  });
});

test('the rules of the table are those that ask it', () => {
  const asking = catalogue.flatMap(({ id, appliesTo: [target] }) => {
    const folder = {
      UpdateRun: 'run',
      UpdateStrategy: 'strategy',
      ApprovalRequest: 'approval',
      Placement: 'placement',
    };
    const others = { MemberCluster: 'member-cluster', Eviction: 'eviction' };
    const place = { ...folder, ...others }[target?.family as 'UpdateRun'];
    const text = readFileSync(`src/rules/${place}/${id}.ts`, 'utf8');
    return [...text.matchAll(/behaves\([^,]+, '([a-z-]+)'\)/g)].map(([, asked]) => `${id}: ${asked ?? ''}`);
  });
  const listed = Object.entries(behaviours).flatMap(([id, { rules }]) =>
    Object.keys(rules).map((rule) => `${rule}: ${id}`),
  );
  expect(asking.sort()).toEqual(listed.sort());
});
