import { describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import { nextRunName, runManifest, shortenRunName, yamlText } from '../../../src/rules/wording/manifest.js';

const spec = { placementName: 'shop', stagedRolloutStrategyName: 'rings', state: 'Run' } as const;

describe('the manifest of a run', () => {
  test('of cluster scope', () => {
    expect(runManifest({ name: 'release-2', namespace: undefined, spec })).toEqual([
      'apiVersion: placement.kubernetes-fleet.io/v1beta1',
      'kind: ClusterStagedUpdateRun',
      'metadata:',
      '  name: release-2',
      'spec:',
      '  placementName: shop',
      '  stagedRolloutStrategyName: rings',
      '  state: Run',
    ]);
  });

  test('of a namespace and with a snapshot index, which stays text', () => {
    const lines = runManifest({ name: 'release', namespace: 'team-a', spec: { ...spec, resourceSnapshotIndex: '3' } });
    expect(lines).toContain('  namespace: team-a');
    expect(lines).toContain('  resourceSnapshotIndex: "3"');
    expect(parse(lines.join('\n'))).toEqual({
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      kind: 'StagedUpdateRun',
      metadata: { name: 'release', namespace: 'team-a' },
      spec: { ...spec, resourceSnapshotIndex: '3' },
    });
  });
});

test.each(['shop', 'no', 'on', 'y', 'null', '1e3', '007', 'a: b', 'a\nb: c', '', '- x', '"', 'shop.v1-2', 'Ä'])(
  'YAML reads %j as the same text',
  (text) => {
    expect(parse(`key: ${yamlText(text)}`, { version: '1.1' })).toEqual({ key: text });
  },
);

describe('the name of the next run', () => {
  test('is the first number that nobody has', () => {
    expect(nextRunName('release', new Set())).toBe('release-2');
    expect(nextRunName('release', new Set(['release-2', 'release-3']))).toBe('release-4');
  });

  test('is never longer than a run may be called', () => {
    expect(nextRunName('r'.repeat(63), new Set())).toBe(`${'r'.repeat(61)}-2`);
    expect(nextRunName(`${'r'.repeat(60)}-ab`, new Set())).toBe(`${'r'.repeat(60)}-2`);
  });
});

test('a name is cut where it can end', () => {
  expect(shortenRunName('release')).toBe('release');
  expect(shortenRunName(`${'r'.repeat(62)}-abc`)).toBe('r'.repeat(62));
});
