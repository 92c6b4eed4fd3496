import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import type { Json } from './api.js';
import { eventually } from './eventually.js';
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

  test('placement, strategy and run in one file simply work while the scheduler takes 3 s', async () => {
    const { agent, guard } = it();
    agent.schedulerMilliseconds = 3000;
    const together = await apply(
      yamlOf(placement(scope, 'at-once'), strategy(scope, 'at-once', gated), runOf('at-once')),
    );
    agent.schedulerMilliseconds = 0;
    expect(together.code).toBe(0);
    expect(together.stdout.match(/ created$/gm)).toHaveLength(3);
    expect(together.stderr).not.toContain('refused');
    const decided = (): string[] =>
      guard
        .decisions()
        .filter(({ kind, object }) => kind === kindIn('UpdateRun', scope).kind && object.endsWith('at-once'))
        .map(({ decision }) => decision);
    // The log of a decision may come after its answer.
    await eventually('the log of the admission', () => decided().includes('admit') || undefined);
    const answers = decided();
    expect(answers.filter((decision) => decision === 'admit')).toEqual(['admit']);
    expect(answers.filter((decision) => decision === 'retry').length).toBeGreaterThan(0);
  }, 60_000);

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

  describe('what comes in one commit', () => {
    const write = (name: string, kustomization: object): string => {
      const folder = mkdtempSync(join(it().hub.folder, 'commit-'));
      writeFileSync(join(folder, 'placement.yaml'), yamlOf(placement(scope, name)));
      writeFileSync(join(folder, 'strategy.yaml'), yamlOf(strategy(scope, name, gated)));
      writeFileSync(join(folder, 'run.yaml'), yamlOf(runOf(name)));
      const resources = ['placement.yaml', 'strategy.yaml', 'run.yaml'];
      writeFileSync(join(folder, 'kustomization.yaml'), yamlOf({ resources, ...kustomization }));
      return folder;
    };

    test('kustomize sorts the run before its strategy; the refusal names the order that works', async () => {
      const name = `kustom-${scope ?? 'hub'}`;
      const sorted = await alice(['apply', '-k', write(name, {})]);
      expect([sorted.code, sorted.stderr]).toEqual([1, expect.stringContaining('[run-strategy-exists]')]);
      expect(sorted.stderr).toContain('sortOptions: {order: fifo}');
      const inOrder = await alice(['apply', '-k', write(name, { sortOptions: { order: 'fifo' } })]);
      expect([inOrder.code, inOrder.stdout]).toEqual([0, expect.stringContaining(`${name} created`)]);
      expect(await stored(name)).toBe(200);
    }, 60_000);

    test('Flux dry-runs all of it first, applies the first part, and the part that depends on it after', async () => {
      const parts = [placement(scope, 'flux'), runOf('flux'), strategy(scope, 'flux', gated)];
      const rehearsal = await apply(yamlOf(...parts), '--server-side', '--dry-run=server', '--field-manager=flux');
      expect(rehearsal.code).toBe(0);
      const [first, second, third] = parts;
      for (const object of [first, third, second]) {
        expect(await apply(yamlOf(object ?? {}), '--server-side', '--field-manager=flux')).toMatchObject({ code: 0 });
      }
    }, 60_000);

    test('Argo CD sends by name within a wave: the run is refused until its strategy is there, and the next sync works', async () => {
      // The order of the names: placement, run, strategy.
      const wave = [
        placement(scope, 'argo-a'),
        run(scope, 'argo-b', { placementName: 'argo-a', stagedRolloutStrategyName: 'argo-c' }),
        strategy(scope, 'argo-c', gated),
      ];
      const outcomes = [];
      for (const object of wave) outcomes.push((await apply(yamlOf(object))).code);
      expect(outcomes).toEqual([0, 1, 0]);
      expect(await apply(yamlOf(...wave))).toMatchObject({ code: 0 });
    }, 60_000);
  });
});
