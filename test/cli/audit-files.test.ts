import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { defineRule } from '../../src/engine/rule.js';
import { run } from '../support/captured-io.js';
import { scratchFolder } from '../support/scratch.js';

const newRun = JSON.stringify({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterStagedUpdateRun',
  metadata: { name: 'release' },
  spec: { placementName: 'shop', stagedRolloutStrategyName: 'rings', state: 'Run' },
});

const newStrategy = `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: ClusterStagedUpdateStrategy
metadata: {name: eu}
spec:
  stages:
    - {name: one, labelSelector: {matchLabels: {a: b}}}
    - {name: two, labelSelector: {matchLabels: {a: b}}}
`;

const ruleDraft = {
  id: 'run-broken',
  title: 'A rule of the test',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  reads: [],
  why: 'A rule of the test.',
  fix: 'Leave it.',
} as const;

describe('a hub of files', () => {
  const request = (name: string, run: string): string =>
    `apiVersion: placement.kubernetes-fleet.io/v1beta1\nkind: ClusterApprovalRequest\nmetadata: {name: ${name}}\nspec: {parentStageRollout: ${run}, targetStage: canary}\n`;

  test('of which a file cannot be read is not complete: nobody is told to delete approvals of runs in that file', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'approvals.yaml'), request('release-after-canary', 'release'));
    writeFileSync(join(folder, 'runs.yaml'), 'kind: [broken');
    const partly = await run(['audit', '--fleet', folder]);
    expect(partly.code).toBe(2);
    expect(partly.out).not.toContain('kubectl delete');
    expect(partly.out).toContain('not judged: could not be checked: cannot know ClusterStagedUpdateRun "release"');
    writeFileSync(join(folder, 'runs.yaml'), '');
    const whole = await run(['audit', '--fleet', folder]);
    expect(whole.code).toBe(0);
    expect(whole.out).toContain('kubectl delete clusterapprovalrequests release-after-canary');
  });

  test('has places: every report says where to look', async () => {
    const file = join(scratchFolder(), 'hub.yaml');
    const strategy = newStrategy.replace('{name: eu', '{name: us');
    writeFileSync(file, `# the hub\n${newStrategy}---\n${strategy}`);
    const { code, out } = await run(['audit', '--fleet', file, '--format', 'json']);
    const { findings } = JSON.parse(out) as { findings: readonly unknown[] };
    expect(code).toBe(1);
    expect(findings).toContainEqual(
      expect.objectContaining({ rule: 'strategy-stages-disjoint', name: 'us', file, line: 16, column: 19 }),
    );
    expect((await run(['audit', '--fleet', file])).out).toContain(`${file}:16:19: would be refused: ClusterStaged`);
    expect((await run(['audit', '--fleet', file, '--format', 'sarif'])).out).toContain('"startLine": 16');
  });

  test('that is empty is an empty hub', async () => {
    const file = join(scratchFolder(), 'hub.json');
    writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [] }));
    expect(await run(['audit', '--fleet', file])).toMatchObject({
      code: 0,
      out: '0 objects judged: no problems found\n',
    });
  });
});

test.each(['check', 'plan', 'audit'])(
  '%s tells of a rule that throws, though it is only a warning',
  async (command) => {
    const broken = defineRule({
      ...ruleDraft,
      *check() {
        yield* [];
        throw new Error('out of order');
      },
    });
    const file = join(scratchFolder(), 'run.yaml');
    writeFileSync(file, newRun);
    const argv = command === 'audit' ? ['audit', '--fleet', file] : [command, file];
    const { code, err } = await run(argv, { rules: [broken] });
    expect(code).toBe(3);
    expect(err).toContain('rule run-broken: stageguard has a bug: out of order');
  },
);
