import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import type { Json } from './api.js';
import { kubectl, type Ran, type RunOptions } from './kubectl.js';
import { headOf, pathOf } from './paths.js';
import { useGuardedHub } from './use-guarded-hub.js';
import { bothScopes, joinMembers, objectOf, placement, run, scheduled, stage, strategy, yamlOf } from './world.js';

const it = useGuardedHub();
beforeAll(() => joinMembers(it().hub), 30_000);

const alice = (args: readonly string[], options: RunOptions = {}): Promise<Ran> =>
  kubectl(it().hub, 'alice', args, options);
const apply = (stdin: string, ...flags: readonly string[]): Promise<Ran> =>
  alice(['apply', ...flags, '-f', '-'], { stdin });

const gated = [stage('canary', { afterStageTasks: [{ type: 'Approval' }] }), stage('production')];

describe.each(bothScopes)('journey: kubectl %s', (_name, scope) => {
  const within = scope === undefined ? [] : ['-n', scope];
  const { plural: runs } = kindIn('UpdateRun', scope);
  const { plural: strategies } = kindIn('UpdateStrategy', scope);
  const specOf = (name: string): { placementName: string; stagedRolloutStrategyName: string } => ({
    placementName: name,
    stagedRolloutStrategyName: name,
  });
  const runOf = (name: string, more: Json = {}): Json => run(scope, name, { ...specOf(name), ...more });
  const stored = async (name: string): Promise<number> =>
    (
      await it()
        .hub.api('admin')
        .get(pathOf('UpdateRun', scope, name))
    ).status;

  async function ground(name: string): Promise<void> {
    expect(await apply(yamlOf(placement(scope, name), strategy(scope, name, gated)))).toMatchObject({ code: 0 });
    await scheduled(it().hub, scope, name);
  }

  test('--dry-run=server refuses what is wrong in itself and only warns of what may come in the same commit', async () => {
    const bad = await apply(yamlOf(strategy(scope, 'dry', [])), '--dry-run=server');
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('[strategy-stages-present]')]);
    const early = await apply(yamlOf(runOf('dry')), '--dry-run=server');
    expect([early.code, early.stderr]).toEqual([0, expect.stringContaining('Warning: [run-placement-exists]')]);
    expect(await stored('dry')).toBe(404);
  });

  test('diff shows the difference, and no refusal', async () => {
    const diff = await alice(['diff', '-f', '-'], { stdin: yamlOf(runOf('diff')) });
    expect([diff.code, diff.stdout]).toEqual([1, expect.stringContaining('+  placementName: diff')]);
    expect(await stored('diff')).toBe(404);
  });

  test('server-side apply is refused and admitted alike', async () => {
    await ground('apply');
    const bad = await apply(yamlOf(runOf('apply', { resourceSnapshotIndex: '7' })), '--server-side');
    expect([bad.code, bad.stderr]).toEqual([1, expect.stringContaining('[run-snapshot-exists]')]);
    const good = await apply(yamlOf(runOf('apply')), '--server-side');
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('serverside-applied')]);
    // The same again is no start.
    expect(await apply(yamlOf(runOf('apply')), '--server-side')).toMatchObject({ code: 0 });
  }, 30_000);

  test('an edit stops a run, and an edit that is refused says why', async () => {
    await ground('edit');
    expect(await apply(yamlOf(runOf('edit')))).toMatchObject({ code: 0 });
    const env = { KUBE_EDITOR: "sed -i 's/state: Run/state: Stop/'" };
    expect(await alice(['edit', runs, 'edit', ...within], { env })).toMatchObject({ code: 0 });
    const spoil = { KUBE_EDITOR: "sed -i 's/name: canary/name: production/'" };
    const spoilt = await alice(['edit', strategies, 'edit', ...within], { env: spoil });
    expect([spoilt.code, spoilt.stderr]).toEqual([1, expect.stringContaining('[strategy-stage-names-unique]')]);
  }, 30_000);

  test('replace and create with generateName go through the same rules', async () => {
    await ground('replace');
    const worse = yamlOf(strategy(scope, 'replace', [...gated, stage('canary')]));
    const replaced = await alice(['replace', '-f', '-'], { stdin: worse });
    expect([replaced.code, replaced.stderr]).toEqual([1, expect.stringContaining('[strategy-stage-names-unique]')]);
    const better = yamlOf(strategy(scope, 'replace', [...gated, stage('last')]));
    expect(await alice(['replace', '-f', '-'], { stdin: better })).toMatchObject({ code: 0 });
    const { metadata, ...rest } = runOf('replace');
    const generated = { ...rest, metadata: { ...(metadata as object), name: undefined, generateName: 'release-' } };
    const created = await alice(['create', '-f', '-'], { stdin: yamlOf(generated) });
    expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/release-\S+ created/)]);
    const second = await alice(['create', '-f', '-'], { stdin: yamlOf(generated) });
    expect([second.code, second.stderr]).toEqual([1, expect.stringContaining('[run-placement-free]')]);
  }, 30_000);

  test('v1 is as good as v1beta1', async () => {
    await ground('newest');
    const newest = { ...runOf('newest'), ...headOf('UpdateRun', scope, 'v1') };
    expect(await apply(yamlOf(newest))).toMatchObject({ code: 0 });
    const late = yamlOf({ ...runOf('newest-2', specOf('newest')), ...headOf('UpdateRun', scope, 'v1') });
    const refused = await apply(late);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('[run-placement-free]')]);
  }, 30_000);

  const { versions, group } = kindIn('UpdateRun', scope);
  if (versions.includes('v1alpha1')) {
    test('through v1alpha1 nothing is written, since that loses fields, but things are deleted', async () => {
      await ground('oldest');
      expect(await apply(yamlOf(runOf('oldest')))).toMatchObject({ code: 0 });
      for (const plural of [runs, strategies]) {
        const oldest = `${plural}.v1alpha1.${group}`;
        const labelled = await alice(['label', oldest, 'oldest', 'a=b', ...within]);
        expect([labelled.code, labelled.stderr]).toEqual([1, expect.stringContaining('[run-api-version]')]);
        expect(await alice(['delete', oldest, 'oldest', ...within])).toMatchObject({ code: 0 });
      }
    }, 30_000);
  }

  test('every kind can be deleted, the run first', async () => {
    await ground('gone');
    expect(await apply(yamlOf(runOf('gone')))).toMatchObject({ code: 0 });
    for (const family of ['UpdateRun', 'UpdateStrategy', 'Placement'] as const) {
      const { plural } = kindIn(family, scope);
      const deleted = await alice(['delete', plural, 'gone', ...within]);
      expect([deleted.code, deleted.stdout]).toEqual([0, expect.stringContaining('deleted')]);
    }
    const gate = objectOf('ApprovalRequest', scope, 'gone-after-canary', {
      parentStageRollout: 'gone',
      targetStage: 'canary',
    });
    await it().hub.api('hubAgent').create(pathOf('ApprovalRequest', scope), gate);
    const { plural } = kindIn('ApprovalRequest', scope);
    expect(await alice(['delete', plural, 'gone-after-canary', ...within])).toMatchObject({ code: 0 });
  }, 30_000);
});
