import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn, type Family } from '../../src/fleet/kinds.js';
import type { Json } from './harness/api.js';
import { kubectl, type Ran, type RunOptions } from './harness/kubectl.js';
import { headOf, pathOf, type Scope } from './harness/paths.js';
import { pooled } from './harness/pooled.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import {
  bothScopes,
  conditionOf,
  joinMembers,
  objectOf,
  placement,
  run,
  scheduled,
  stage,
  strategy,
  yamlOf,
} from './harness/world.js';

const it = useGuardedHub();
beforeAll(() => joinMembers(it().hub), 30_000);

const gated = [stage('canary', { afterStageTasks: [{ type: 'Approval' }] }), stage('production')];
const tolerant = { policy: { placementType: 'PickAll', tolerations: [{ key: 'gpu', operator: 'Exists' }] } };

const refused = (rule: string): unknown => [1, expect.stringContaining(`[${rule}]`)];
const told = ({ code, stderr }: Ran): unknown => [code, stderr];

/** Alice in one scope. */
class Alice {
  private readonly within: readonly string[];

  constructor(readonly scope: Scope) {
    this.within = scope === undefined ? [] : ['-n', scope];
  }

  kubectl(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
    return kubectl(it().hub, 'alice', args, options);
  }

  apply(object: Json, ...flags: readonly string[]): Promise<Ran> {
    return this.kubectl(['apply', ...flags, '-f', '-'], { stdin: yamlOf(object) });
  }

  send(verb: 'create' | 'replace' | 'diff', object: Json): Promise<Ran> {
    return this.kubectl([verb, '-f', '-'], { stdin: yamlOf(object) });
  }

  /** The editor of whoever changes one thing. */
  edit(family: Family, name: string, script: string): Promise<Ran> {
    const env = { KUBE_EDITOR: `sed -i '${script}'` };
    return this.kubectl(['edit', this.plural(family), name, ...this.within], { env });
  }

  /** Something with one object, whose name comes first among the words. */
  about(verb: string, plural: string, ...words: readonly string[]): Promise<Ran> {
    return this.kubectl([verb, plural, ...words, ...this.within]);
  }

  plural(family: Family): string {
    return kindIn(family, this.scope).plural;
  }

  run(name: string, more: Json = {}): Json {
    return run(this.scope, name, { placementName: name, stagedRolloutStrategyName: name, ...more });
  }

  async isStored(name: string): Promise<boolean> {
    const { status } = await it()
      .hub.api('admin')
      .get(pathOf('UpdateRun', this.scope, name));
    return status === 200;
  }

  /** A placement and a strategy of one name. */
  async ground(name: string): Promise<void> {
    for (const object of [placement(this.scope, name), strategy(this.scope, name, gated)]) {
      expect(await this.apply(object)).toMatchObject({ code: 0 });
    }
    await scheduled(it().hub, this.scope, name);
  }
}

const throughOldest = 'through v1alpha1 nothing is written, since that loses fields, but things are deleted';

const ways: Readonly<Record<string, (alice: Alice) => Promise<void>>> = {
  async '--dry-run=server refuses what is wrong in itself and only warns of what may come in the same commit'(alice) {
    const bad = await alice.apply(strategy(alice.scope, 'dry', []), '--dry-run=server');
    expect(told(bad)).toEqual(refused('strategy-stages-present'));
    const early = await alice.apply(alice.run('dry'), '--dry-run=server');
    expect(told(early)).toEqual([0, expect.stringContaining('Warning: [run-placement-exists]')]);
    expect(await alice.isStored('dry')).toBe(false);
  },

  async 'diff shows what is new and what is different, and what would be refused'(alice) {
    const early = await alice.send('diff', alice.run('diff'));
    expect([early.code, early.stdout]).toEqual([1, expect.stringContaining('+  placementName: diff')]);
    expect(await alice.isStored('diff')).toBe(false);
    await alice.ground('diff');
    const slower = [stage('canary', { maxConcurrency: 2 }), stage('production')];
    const changed = await alice.send('diff', strategy(alice.scope, 'diff', slower));
    expect([changed.code, changed.stdout]).toEqual([1, expect.stringContaining('+    maxConcurrency: 2')]);
    const worse = await alice.send('diff', strategy(alice.scope, 'diff', [...gated, stage('canary')]));
    expect(worse.code).toBeGreaterThan(0);
    expect(worse.stderr).toContain('[strategy-stage-names-unique]');
  },

  async 'server-side apply is refused and admitted alike'(alice) {
    await alice.ground('apply');
    const bad = await alice.apply(alice.run('apply', { resourceSnapshotIndex: '7' }), '--server-side');
    expect(told(bad)).toEqual(refused('run-snapshot-exists'));
    const good = await alice.apply(alice.run('apply'), '--server-side');
    expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('serverside-applied')]);
    // The same again is no start.
    expect(await alice.apply(alice.run('apply'), '--server-side')).toMatchObject({ code: 0 });
  },

  async 'an edit stops a run, and an edit that is refused says why'(alice) {
    await alice.ground('edit');
    expect(await alice.apply(alice.run('edit'))).toMatchObject({ code: 0 });
    await conditionOf(it().hub, 'UpdateRun', alice.scope, ['edit', 'Initialized']);
    const spoilt = await alice.edit('UpdateStrategy', 'edit', 's/name: canary/name: production/');
    expect(told(spoilt)).toEqual(refused('strategy-stage-names-unique'));
    const pulled = await alice.edit('Placement', 'edit', 's/type: External/&\\n    applyStrategy: {type: ReportDiff}/');
    expect(told(pulled)).toEqual(refused('placement-in-use'));
    expect(await alice.edit('UpdateRun', 'edit', 's/state: Run/state: Stop/')).toMatchObject({ code: 0 });
  },

  async 'replace and create with generateName go through the same rules'(alice) {
    const { scope } = alice;
    await alice.ground('replace');
    const worse = await alice.send('replace', strategy(scope, 'replace', [...gated, stage('canary')]));
    expect(told(worse)).toEqual(refused('strategy-stage-names-unique'));
    expect(await alice.send('replace', strategy(scope, 'replace', [...gated, stage('last')]))).toMatchObject({
      code: 0,
    });
    const { metadata, ...rest } = alice.run('replace');
    const generated = { ...rest, metadata: { ...(metadata as object), name: undefined, generateName: 'release-' } };
    const created = await alice.send('create', generated);
    expect([created.code, created.stdout]).toEqual([0, expect.stringMatching(/release-\S+ created/)]);
    expect(told(await alice.send('create', generated))).toEqual(refused('run-placement-free'));
    const pulled = await alice.send('replace', placement(scope, 'replace', tolerant));
    expect(told(pulled)).toEqual(refused('placement-in-use'));
    const prepared = alice.run('replace', { state: 'Initialize' });
    expect(await alice.apply(prepared)).toMatchObject({ code: 0 });
    // A replace reads before it writes; what the controller writes in between is a conflict.
    await conditionOf(it().hub, 'UpdateRun', scope, ['replace', 'Initialized']);
    expect(told(await alice.send('replace', alice.run('replace')))).toEqual(refused('run-placement-free'));
  },

  async 'v1 is as good as v1beta1'(alice) {
    const { scope } = alice;
    const newest = (family: Family, object: Json): Json => ({ ...object, ...headOf(family, scope, 'v1') });
    const doubled = newest('UpdateStrategy', strategy(scope, 'newest', [...gated, stage('canary')]));
    expect(told(await alice.apply(doubled))).toEqual(refused('strategy-stage-names-unique'));
    expect(await alice.apply(newest('Placement', placement(scope, 'newest')))).toMatchObject({ code: 0 });
    expect(await alice.apply(newest('UpdateStrategy', strategy(scope, 'newest', gated)))).toMatchObject({ code: 0 });
    await scheduled(it().hub, scope, 'newest');
    expect(await alice.apply(newest('UpdateRun', alice.run('newest')))).toMatchObject({ code: 0 });
    const late = run(scope, 'newest-2', { placementName: 'newest', stagedRolloutStrategyName: 'newest' });
    expect(told(await alice.apply(newest('UpdateRun', late)))).toEqual(refused('run-placement-free'));
    const pulled = newest('Placement', placement(scope, 'newest', tolerant));
    expect(told(await alice.apply(pulled))).toEqual(refused('placement-in-use'));
  },

  async [throughOldest](alice) {
    const { group } = kindIn('UpdateRun', alice.scope);
    await alice.ground('oldest');
    expect(await alice.apply(alice.run('oldest'))).toMatchObject({ code: 0 });
    for (const plural of [alice.plural('UpdateRun'), alice.plural('UpdateStrategy')]) {
      const oldest = `${plural}.v1alpha1.${group}`;
      expect(told(await alice.about('label', oldest, 'oldest', 'a=b'))).toEqual(refused('run-api-version'));
      expect(await alice.about('delete', oldest, 'oldest')).toMatchObject({ code: 0 });
    }
  },

  async 'a run without a state is prepared, and is found by its short name'(alice) {
    await alice.ground('short');
    expect(await alice.apply(alice.run('short', { state: undefined }))).toMatchObject({ code: 0 });
    const shortName = alice.scope === undefined ? 'csur' : 'sur';
    const { stdout } = await alice.about('get', shortName, 'short', '-o', 'jsonpath={.spec.state}');
    expect(stdout).toBe('Initialize');
  },

  async 'every kind can be deleted, the run first'(alice) {
    const { scope } = alice;
    await alice.ground('gone');
    expect(await alice.apply(alice.run('gone'))).toMatchObject({ code: 0 });
    for (const family of ['UpdateRun', 'UpdateStrategy', 'Placement'] as const) {
      const deleted = await alice.about('delete', alice.plural(family), 'gone');
      expect([deleted.code, deleted.stdout]).toEqual([0, expect.stringContaining('deleted')]);
    }
    const gate = { parentStageRollout: 'gone', targetStage: 'canary' };
    const left = objectOf('ApprovalRequest', scope, 'gone-after-canary', gate);
    await it().hub.api('hubAgent').create(pathOf('ApprovalRequest', scope), left);
    const { code } = await alice.about('delete', alice.plural('ApprovalRequest'), 'gone-after-canary');
    expect(code).toBe(0);
  },
};

// Names are those of the ways, so that all of them are under way at once.
const titlesIn = (scope: Scope): readonly string[] =>
  // The namespaced kinds are younger than their first version.
  Object.keys(ways).filter((title) => title !== throughOldest || scope === undefined);
const outcomes = new Map<string, Promise<void>>();
const keyOf = (title: string, scope: Scope): string => `${title} ${scope ?? ''}`;
beforeAll(() => {
  const rows = bothScopes.flatMap(([, scope]) => titlesIn(scope).map((title) => ({ title, scope })));
  const jobs = rows.map(
    ({ title, scope }) =>
      async () =>
        ways[title]?.(new Alice(scope)),
  );
  pooled(jobs, 4).forEach((outcome, index) => {
    const { title = '', scope } = rows[index] ?? {};
    outcomes.set(keyOf(title, scope), outcome);
  });
});

describe.each(bothScopes)('journey: kubectl %s', (_name, scope) => {
  test.each(titlesIn(scope))('%s', (title) => outcomes.get(keyOf(title, scope)), 90_000);
});

describe('journey: kubectl and the clusters', () => {
  const admin = (args: readonly string[], stdin = ''): Promise<Ran> => kubectl(it().hub, 'admin', args, { stdin });

  test('a member cluster and an eviction come and go when no run is there that they concern', async () => {
    await Promise.allSettled(outcomes.values());
    const eviction = objectOf('Eviction', undefined, 'drain', { placementName: 'nobodys', clusterName: 'eu-9' });
    const member = objectOf('MemberCluster', undefined, 'eu-9', { identity: { kind: 'User', name: 'eu-9' } });
    expect(await admin(['create', '-f', '-'], yamlOf(eviction))).toMatchObject({ code: 0, stderr: '' });
    expect(await admin(['create', '-f', '-'], yamlOf(member))).toMatchObject({ code: 0 });
    for (const what of ['clusterresourceplacementevictions/drain', 'memberclusters/eu-9']) {
      expect(await admin(['delete', what])).toMatchObject({ code: 0 });
    }
  }, 90_000);

  test('rights are checked before any rule: no member cluster for a developer, no run for the hub agent', async () => {
    const mayDelete = await kubectl(it().hub, 'alice', ['auth', 'can-i', 'delete', 'memberclusters']);
    expect(mayDelete.stdout).toBe('no\n');
    const stdin = yamlOf(run(undefined, 'own', { placementName: 'shop', stagedRolloutStrategyName: 'rings' }));
    const create = await kubectl(it().hub, 'hubAgent', ['create', '-f', '-'], { stdin });
    expect(create.stderr).toContain('Forbidden');
  });
});
