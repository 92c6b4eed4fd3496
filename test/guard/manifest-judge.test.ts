import { expect, test } from '@jest/globals';
import { defaultPolicy } from '../../src/engine/policy.js';
import { judgeManifests } from '../../src/guard/manifest-judge.js';
import { catalogue } from '../../src/rules/index.js';
import { fleetIn } from '../../src/sources/manifests/fleet-files.js';
import { manifestsIn } from '../../src/sources/manifests/read.js';
import { now } from '../support/captured-io.js';

const strategy = (name: string): string =>
  'apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterStagedUpdateStrategy\n' +
  `metadata: {name: ${name}}\nspec: {stages: []}\n`;

test('what cannot be judged in time is told, and not taken for sound', () => {
  const manifests = manifestsIn([{ file: 'all.yaml', text: ['a', 'b', 'c', 'd'].map(strategy).join('---\n') }]);
  let asked = 0;
  const known = fleetIn(manifestsIn([]));
  const input = { manifests, known, rules: catalogue, policy: defaultPolicy, now };
  const { judged, errors } = judgeManifests({ ...input, isTimeUp: () => ++asked > 2 });
  expect(judged.map(({ verdict }) => verdict.subject.name)).toEqual(['a', 'b']);
  expect(errors).toEqual([
    {
      file: 'all.yaml',
      line: 11,
      column: 1,
      message: 'is not judged, and neither is what comes after it: what comes before it took too long',
      fix: 'Check a part of the manifests at a time.',
    },
  ]);
  expect(judgeManifests(input).errors).toEqual([]);
});
