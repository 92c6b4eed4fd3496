import { describe, expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';

const group = 'placement.kubernetes-fleet.io/v1beta1';
const selector = '{matchLabels: {ring: a}, matchExpressions: [{key: tier, operator: In, values: [x]}]}';

/** For each kind what people write, in flow style so that a key can be replaced wherever it stands. */
const manifests: Readonly<Record<'strategy' | 'run' | 'approval' | 'placement', string>> = {
  strategy: `spec: {stages: [{name: a, labelSelector: ${selector}, sortingLabelKey: order, maxConcurrency: 1, beforeStageTasks: [{type: Approval}], afterStageTasks: [{type: TimedWait, waitTime: 1h}]}]}`,
  run: 'spec: {placementName: shop, stagedRolloutStrategyName: rings, resourceSnapshotIndex: "1", state: Run}',
  approval: 'spec: {parentStageRollout: shop-v2, targetStage: canary}',
  placement:
    'spec: {resourceSelectors: [{group: "", version: v1, kind: ConfigMap, name: shop}], policy: {placementType: PickFixed, clusterNames: [a]}, strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 1}}, revisionHistoryLimit: 5}',
};

const kinds = [
  ['strategy', 'ClusterStagedUpdateStrategy', 'StagedUpdateStrategy'],
  ['run', 'ClusterStagedUpdateRun', 'StagedUpdateRun'],
  ['approval', 'ClusterApprovalRequest', 'ApprovalRequest'],
  ['placement', 'ClusterResourcePlacement', 'ResourcePlacement'],
] as const;

const cases = kinds.flatMap(([what, cluster, namespaced]) => [
  { kind: cluster, metadata: 'metadata: {name: x, labels: {a: b}}', spec: manifests[what] },
  { kind: namespaced, metadata: 'metadata: {name: x, namespace: team-a, labels: {a: b}}', spec: manifests[what] },
]);

/** Slips of the finger and habits from elsewhere; each keeps a word recognisable. */
const mistakes: Readonly<Record<string, (word: string) => string>> = {
  'a letter missing': (word) => word.slice(0, 2) + word.slice(3),
  'the last letter missing': (word) => word.slice(0, -1),
  'a letter twice': (word) => word.slice(0, 3) + word.slice(2),
  'two letters swapped': (word) => word.slice(0, 1) + word.charAt(2) + word.charAt(1) + word.slice(3),
  'a wrong letter': (word) => `${word.slice(0, 2)}x${word.slice(3)}`,
  'lower case': (word) => word.toLowerCase(),
  'a capital': (word) => word.charAt(0).toUpperCase() + word.slice(1),
  'an s too much': (word) => `${word}s`,
  'snake case': (word) => word.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
  'kebab case': (word) => word.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
};

/** What the API server itself would drop or refuse, told of a text with one word misspelled. */
async function told(text: string): Promise<{ readonly code: number; readonly out: string }> {
  return run(['check', '-'], { input: text });
}

const textOf = ({ kind, metadata, spec }: (typeof cases)[number]): string =>
  `apiVersion: ${group}\nkind: ${kind}\n${metadata}\n${spec}\n`;

describe.each(cases)('$kind', (one) => {
  const keys = [...`${one.metadata}, ${one.spec}`.matchAll(/(?<=[{ ])([a-z][A-Za-z]+)(?=: )/g)].map(([key]) => key);
  // Labels are named by whoever writes them.
  const fields = [...new Set(keys)].filter((key) => !['ring', 'kind', 'metadata'].includes(key));

  test.each(Object.entries(mistakes))('%s in a key is told with the right key', async (_, misspell) => {
    const wrong: string[] = [];
    for (const field of fields) {
      const written = misspell(field);
      if (written === field) continue;
      const text = textOf(one).replace(`${field}:`, `${written}:`);
      const { code, out } = await told(text);
      if (code === 0 || !new RegExp(`(Write|into|Set) ${field}\\b`).test(out)) wrong.push(`${written}:\n${out}`);
    }
    expect(wrong).toEqual([]);
  });

  test.each(Object.entries(mistakes))(
    '%s in a word that the API knows is told with the right word',
    async (_, misspell) => {
      const words = ['TimedWait', 'Approval', 'In', 'Run', 'PickFixed', 'RollingUpdate'].filter(
        (word) => misspell(word) !== word && misspell(word) !== '',
      );
      const wrong: string[] = [];
      for (const word of words) {
        const text = textOf(one).replace(new RegExp(`(?<=: )${word}\\b`), misspell(word));
        if (text === textOf(one)) continue;
        const { code, out } = await told(text);
        if (code === 0 || !new RegExp(`Write (\\w+: )?${word}\\b`).test(out)) wrong.push(`${misspell(word)}:\n${out}`);
      }
      expect(wrong).toEqual([]);
    },
  );

  test.each(Object.entries(mistakes))('%s in the kind is told with the right kind', async (_, misspell) => {
    const wrong = misspell(one.kind);
    if (wrong === one.kind) return;
    const { code, out } = await told(textOf(one).replace(one.kind, wrong));
    expect(code).toBe(2);
    expect(out).toContain(`Write kind: ${one.kind}\n`);
  });
});

describe('what is no slip of the finger', () => {
  test.each<[string, string, string, string]>([
    ['half of a name', 'run', 'resourceSnapshotIndex', 'snapshotIndex'],
    ['the other half', 'run', 'placementName', 'placement'],
    ['the beginning and the end', 'run', 'stagedRolloutStrategyName', 'strategyName'],
    ['the name of the kind', 'run', 'stagedRolloutStrategyName', 'stagedUpdateStrategyName'],
    ['one word of three', 'run', 'stagedRolloutStrategyName', 'strategy'],
    ['one word of two', 'approval', 'targetStage', 'stage'],
    ['a selector', 'strategy', 'labelSelector', 'selector'],
    ['a number', 'strategy', 'maxConcurrency', 'concurrency'],
    ['tasks', 'strategy', 'beforeStageTasks', 'beforeTasks'],
    ['tasks in the singular', 'strategy', 'afterStageTasks', 'afterTask'],
    ['clusters', 'placement', 'clusterNames', 'clusters'],
  ])('%s for a field is told with the field', async (_, what, field, written) => {
    const one = cases[kinds.findIndex(([name]) => name === what) * 2];
    const { code, out } = await told((one === undefined ? '' : textOf(one)).replace(`${field}:`, `${written}:`));
    expect(code).not.toBe(0);
    expect(out).toContain(`Write ${field} for ${written}.`);
  });

  const strategy = (stage: string, more = ''): string =>
    `apiVersion: ${group}\nkind: ClusterStagedUpdateStrategy\nmetadata: {name: x}\nspec: {stages: [{${stage}}]${more}}\n`;

  test.each<[string, string, string]>([
    [
      'a level too high',
      strategy('name: a, matchLabels: {a: b}'),
      'Move matchLabels into spec.stages[].labelSelector.',
    ],
    [
      'a level too low',
      strategy('name: a, labelSelector: {maxConcurrency: 1}'),
      'Move maxConcurrency into spec.stages[].',
    ],
    ['beside the stages', strategy('name: a', ', maxConcurrency: 1'), 'Move maxConcurrency into spec.stages[].'],
    ['beside the spec', `${strategy('name: a')}stages: []\n`, 'Move stages into spec.'],
    ['a label beside metadata', `${strategy('name: a')}labels: {a: b}\n`, 'Move labels into metadata.'],
  ])('a field %s is told with the place it belongs to', async (_, text, fix) => {
    const { code, out } = await told(text);
    expect(code).toBe(1);
    expect(out).toContain(fix);
  });

  test('what nobody can guess is told with the fields that there are', async () => {
    const { out } = await told(strategy('name: a, zzz: 1'));
    expect(out).toContain('Fields of spec.stages[0]: name, labelSelector,');
  });
});
