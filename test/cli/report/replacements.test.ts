import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { run } from '../../support/captured-io.js';
import { sarifProblems } from '../../support/report-shapes.js';
import { scratchFolder } from '../../support/scratch.js';

const folder = scratchFolder();
const sound = `# the waves of the shop
apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: StagedUpdateStrategy
metadata: {name: rings, namespace: team-a}
spec:
  stages:
    - name: canary # first
      labelSelector: {matchLabels: {ring: canary, 'order': "1"}}
      maxConcurrency: "50%"
      afterStageTasks:
        - type: Approval
`;

interface Region {
  readonly startLine: number;
  readonly startColumn: number;
  readonly endLine: number;
  readonly endColumn: number;
}

interface Fix {
  readonly artifactChanges: readonly {
    readonly replacements: readonly {
      readonly deletedRegion: Region;
      readonly insertedContent: { readonly text: string };
    }[];
  }[];
}

/** The text after all replacements of a report, as a tool applies them. */
async function afterFixes(text: string, name = 'one.yaml'): Promise<string> {
  const file = join(folder, name);
  writeFileSync(file, text);
  const { out } = await run(['check', file, '--format', 'sarif']);
  expect(sarifProblems(out)).toEqual([]);
  const { runs } = JSON.parse(out) as { runs: readonly { results: readonly { fixes?: readonly Fix[] }[] }[] };
  const fixes = runs.flatMap(({ results }) => results.flatMap(({ fixes: ofResult = [] }) => ofResult));
  const replacements = fixes.flatMap(({ artifactChanges }) => artifactChanges.flatMap((change) => change.replacements));
  const lines = text.split('\n');
  for (const { deletedRegion: region, insertedContent } of replacements.toReversed()) {
    expect(region.endLine).toBe(region.startLine);
    const line = lines[region.startLine - 1] ?? '';
    lines[region.startLine - 1] =
      line.slice(0, region.startColumn - 1) + insertedContent.text + line.slice(region.endColumn - 1);
  }
  return lines.join('\n');
}

test.each<[string, string, string]>([
  ['a key', 'maxConcurrency:', 'maxConcurency:'],
  ['a key in quotes', `"afterStageTasks":`, `"afterStageTask":`],
  ['a key in braces', '{matchLabels:', '{matchLabel:'],
  ['a word of a list of words', 'type: Approval', 'type: Aproval'],
  ['a value by its pattern', 'name: canary #', 'name: ca-nary #'],
  ['a number that is a text', `'order': "1"`, `'order': 1`],
  ['a word that YAML reads as true', '{ring: "on"', '{ring: on'],
  ['a name', 'name: rings', 'name: RINGS'],
  ['a kind', 'kind: StagedUpdateStrategy', 'kind: StagedUpdateStratgy'],
  ['a version', '/v1beta1', '/v1beta2'],
])('SARIF puts %s right, and leaves the rest of the text alone', async (_, right, wrong) => {
  const whole = sound.replace(
    'afterStageTasks:',
    right.startsWith('"after') ? '"afterStageTasks":' : 'afterStageTasks:',
  );
  const text = whole.replace('{ring: canary', right.startsWith('{ring') ? right : '{ring: canary');
  expect(text).toContain(right);
  expect(await afterFixes(text.replace(right, wrong))).toBe(text);
});

test('SARIF has the edits of --fix-unsafe', async () => {
  for (const name of ['strategy-stages-disjoint', 'strategy-stage-names-unique', 'run-snapshot-index']) {
    const text = readFileSync(`examples/bad/${name}.yaml`, 'utf8');
    const after = await afterFixes(text);
    expect(after).not.toBe(text);
    const file = join(folder, 'two.yaml');
    writeFileSync(file, text);
    await run(['check', file, '--fix-unsafe', '--yes']);
    expect(after).toBe(readFileSync(file, 'utf8'));
  }
});

test('also in JSON', async () => {
  const json = JSON.stringify({
    apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
    kind: 'ClusterStagedUpdateRun',
    metadata: { name: 'a' },
    spec: { placementName: 'a', stagedRolloutStrategyName: 'a', resourceSnapshotIndex: '1', state: 'Run' },
  });
  expect(await afterFixes(json.replace('"state":"Run"', '"state":"run"'), 'one.json')).toBe(json);
  expect(await afterFixes(json.replace('placementName', 'placementNmae'), 'one.json')).toBe(json);
});
