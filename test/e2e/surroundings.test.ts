import { beforeAll, describe, expect, test } from '@jest/globals';
import { eventually } from './harness/eventually.js';
import { kubectl, type Ran } from './harness/kubectl.js';
import { headOf } from './harness/paths.js';
import { gated, Site } from './surroundings/site.js';
import {
  admitted,
  atGate,
  commandsIn,
  deletionRefused,
  editRefused,
  lostRuns,
  notStarted,
} from './surroundings/texts.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { bothScopes, joinMembers, objectOf, placement, yamlOf } from './harness/world.js';

/*
 * What kubectl says, to the letter, when somebody edits what a running rollout stands on; and that it says nothing where
 * the edit does no harm, or when the run is over. The journeys follow each other on one hub.
 *
 * In both scopes `release` rolls out `shop` and waits at its gate after canary: eu-1 is updated, eu-2 and us-1 are not.
 * `prepared` is initialized for `blog` and not started.
 */
const it = useGuardedHub({ config: { retry: { defaultSeconds: 1 } } });
const sites = bothScopes.map(([, scope]) => new Site(it, scope));

const inBothScopes = (walk: (site: Site) => Promise<void>): Promise<unknown> => Promise.all(sites.map(walk));
const admin = (args: readonly string[], stdin = ''): Promise<Ran> => kubectl(it().hub, 'admin', args, { stdin });
const label = (...words: readonly string[]): Promise<Ran> =>
  admin(['label', 'memberclusters', '--overwrite', ...words]);
const member = (name: string): string => `membercluster.cluster.kubernetes-fleet.io/${name}`;

beforeAll(async () => {
  await joinMembers(it().hub);
  await inBothScopes(async (site) => {
    await Promise.all([site.ground('shop'), site.ground('blog')]);
    await Promise.all([site.start('release', 'shop'), site.start('prepared', 'blog', { state: 'Initialize' })]);
    await Promise.all([site.atGate('release'), site.initialized('prepared')]);
  });
  await guardSees(4);
}, 60_000);

/** Waits until the guard holds as many runs in danger, in the state in which the journeys find them. */
async function guardSees(runs: number): Promise<void> {
  await eventually('the guard has seen it', async () => {
    const { stderr } = await label('eu-1', 'ring=none', '--dry-run=server');
    const told = stderr.match(/ is waiting for an approval| is initialized but not started/g) ?? [];
    return (told.length === runs && (stderr.match(/^Warning/gm) ?? []).length === runs) || undefined;
  });
}

describe('journey: a member cluster under runs of both scopes', () => {
  const taint = (key: string): object => ({ key, effect: 'NoSchedule' });

  test('a label that no stage asks for and a taint on a cluster that stays pass in silence', async () => {
    expect(await label('eu-1', 'team=x')).toEqual(admitted(`${member('eu-1')} labeled`));
    const taints = JSON.stringify({ spec: { taints: [taint('maintenance')] } });
    expect(await admin(['patch', 'memberclusters', 'us-1', '--type=merge', '-p', taints])).toEqual(
      admitted(`${member('us-1')} patched`),
    );
  });

  test('member-cluster-in-use tells of a move to another stage; to move it back is the cure, and silent', async () => {
    const warnings = lostRuns(sites, () => '"eu-1" would move from stage "canary" to "production"');
    expect(await label('eu-1', 'ring=production')).toEqual(admitted(`${member('eu-1')} labeled`, ...warnings));
    await eventually('the guard has seen the move', async () => {
      const { stderr } = await label('eu-1', 'ring=canary', '--dry-run=server');
      return stderr === '' || undefined;
    });
    expect(await label('eu-1', 'ring=canary')).toEqual(admitted(`${member('eu-1')} labeled`));
    await guardSees(4);
  });

  test('member-cluster-in-use tells of a cluster that leaves', async () => {
    const warnings = lostRuns(sites, (name) => `placement "${name}" would lose "us-1"`);
    expect(await admin(['delete', 'memberclusters', 'us-1', '--dry-run=server'])).toEqual(
      admitted('membercluster.cluster.kubernetes-fleet.io "us-1" deleted (server dry run)', ...warnings),
    );
  });

  test('a cluster may join behind a taint; member-cluster-in-use tells when the taint goes', async () => {
    const joining = {
      ...headOf('MemberCluster', undefined),
      metadata: { name: 'us-2', labels: { ring: 'production' } },
      spec: { identity: { kind: 'User', name: 'us-2' }, taints: [taint('new')] },
    };
    expect(await admin(['create', '-f', '-'], yamlOf(joining))).toEqual(admitted(`${member('us-2')} created`));
    const warnings = lostRuns(sites, () => 'stage "production" would gain "us-2"', { isJoin: true });
    const bare = '[{"op":"remove","path":"/spec/taints"}]';
    expect(await admin(['patch', 'memberclusters', 'us-2', '--type=json', '-p', bare])).toEqual(
      admitted(`${member('us-2')} patched`, ...warnings),
    );
    expect(await admin(['delete', 'memberclusters', 'us-2'])).toEqual(
      admitted('membercluster.cluster.kubernetes-fleet.io "us-2" deleted'),
    );
  });
});

function evict(name: string, cluster: string): Promise<Ran> {
  const eviction = objectOf('Eviction', undefined, name, { placementName: 'shop', clusterName: cluster });
  return admin(['create', '-f', '-'], yamlOf(eviction));
}
const evicted = (name: string): string =>
  `clusterresourceplacementeviction.placement.kubernetes-fleet.io/${name} created`;

test('journey: eviction-in-use tells of the run that has the cluster, and of no other', async () => {
  expect(await evict('elsewhere', 'us-9')).toEqual(admitted(evicted('elsewhere')));
  const warning = `[eviction-in-use] active run "release" may be aborted for good (let it finish first if you can): placement "shop" would be taken away from "us-1"; the run is ${atGate}`;
  expect(await evict('drain-1', 'us-1')).toEqual(admitted(evicted('drain-1'), warning));
});

describe('journey: a strategy in both scopes', () => {
  test('a label is silent; strategy-in-use tells that an edit or a deletion no longer matters to the run', () =>
    inBothScopes(async (site) => {
      const called = site.called('UpdateStrategy', 'shop');
      expect(await site.kubectl(['label', site.plural('UpdateStrategy'), 'shop', 'team=x'])).toEqual(
        admitted(`${called} labeled`),
      );
      const slower = { spec: { stages: gated.toSpliced(1, 1, { ...gated[1], maxConcurrency: 2 }) } };
      expect(await site.patch('UpdateStrategy', 'shop', slower)).toEqual(
        admitted(
          `${called} patched`,
          '[strategy-in-use] this edit does not reach run "release": it keeps the stages it was initialized with',
        ),
      );
      expect(await site.remove('UpdateStrategy', 'shop', '--dry-run=server')).toEqual(
        admitted(
          site.deleted('UpdateStrategy', 'shop', ' (server dry run)'),
          '[strategy-in-use] deleting this strategy does not touch run "release": it keeps the stages it was initialized with',
        ),
      );
    }));
});

const tolerant = { spec: { policy: { tolerations: [{ key: 'gpu', operator: 'Exists' }] } } };
describe('journey: a placement in both scopes', () => {
  test('labels, selectors, a shorter history and defaults that are written out pass in silence', () =>
    inBothScopes(async (site) => {
      const called = site.called('Placement', 'shop');
      expect(await site.kubectl(['label', site.plural('Placement'), 'shop', 'team=x'])).toEqual(
        admitted(`${called} labeled`),
      );
      const selector = { group: '', version: 'v1', kind: site.scope ? 'Secret' : 'Namespace', name: 'other' };
      const wider = placement(site.scope, 'shop', { resourceSelectors: [selector], revisionHistoryLimit: 2 });
      expect(await site.apply(wider)).toEqual(admitted(`${called} configured`));
      const spelledOut = { spec: { strategy: { applyStrategy: { type: 'ClientSideApply' } } } };
      expect(await site.patch('Placement', 'shop', spelledOut)).toEqual(admitted(`${called} patched`));
    }));

  test('placement-in-use refuses another policy, another applyStrategy, another type and the deletion', () =>
    inBothScopes(async (site) => {
      const serverSide = { spec: { strategy: { applyStrategy: { type: 'ServerSideApply' } } } };
      const bare = ['--type=json', '-p', '[{"op":"remove","path":"/spec/strategy"}]'];
      const [policy, applied, type, gone] = await Promise.all([
        site.patch('Placement', 'shop', tolerant),
        site.patch('Placement', 'shop', serverSide),
        site.kubectl(['patch', site.plural('Placement'), 'shop', ...bare]),
        site.remove('Placement', 'shop'),
      ]);
      expect(policy).toEqual(editRefused(site, 'spec.policy', 'the policy of the placement would change'));
      expect(applied).toEqual(
        editRefused(site, 'spec.strategy.applyStrategy', 'the applyStrategy of the placement would change'),
      );
      expect(type).toEqual(
        editRefused(
          site,
          'spec.strategy.type',
          'the strategy type of the placement would be RollingUpdate, not External',
        ),
      );
      expect(gone).toEqual(deletionRefused(site));
    }));

  test('placement-in-use tells of a history so short that the snapshot in use goes, and of a run that is not started', () =>
    inBothScopes(async (site) => {
      expect(await site.patch('Placement', 'shop', { spec: { revisionHistoryLimit: 1 } })).toEqual(
        admitted(
          `${site.called('Placement', 'shop')} patched`,
          `[placement-in-use] the next resource snapshot would push out snapshot "0", and run "release" (${atGate}), which rolls it out, would get stuck; a limit of 2 keeps it`,
        ),
      );
      expect(await site.patch('Placement', 'blog', tolerant)).toEqual(
        admitted(
          `${site.called('Placement', 'blog')} patched`,
          `[placement-in-use] run "prepared" (${notStarted}) could not be started any more: the policy of the placement would change; create a new run afterwards`,
        ),
      );
    }));
});

describe('journey: a run that starts, in both scopes', () => {
  test('strategy-in-use keeps its strategy until it is initialized, and kubectl waits by itself', async () => {
    const { agent, guard } = it();
    agent.heldBack.add('early');
    await inBothScopes(async (site) => {
      await site.ground('early', { policy: { placementType: 'PickN', numberOfClusters: 3 } });
      await site.start('early', 'early');
      const needs =
        '[strategy-in-use] run "early" is not initialized yet and needs this strategy for it; without it, the run would fail for good';
      await eventually('the guard has seen the run', async () => {
        const told = await site.remove('UpdateStrategy', 'early', '--dry-run=server');
        return told.stderr === `Warning: ${needs}\n` || undefined;
      });
    });
    const deletions = sites.map((site) => site.remove('UpdateStrategy', 'early'));
    await eventually('kubectl has been told to wait', () => {
      const told = guard
        .decisions()
        .filter(({ decision, rules }) => decision === 'retry' && rules.includes('strategy-in-use'));
      return new Set(told.map(({ object }) => object)).size === 2 || undefined;
    });
    agent.heldBack.delete('early');
    expect(await Promise.all(deletions)).toEqual(
      sites.map((site) =>
        admitted(
          site.deleted('UpdateStrategy', 'early'),
          '[strategy-in-use] deleting this strategy does not touch run "early": it keeps the stages it was initialized with',
        ),
      ),
    );
  }, 60_000);

  test('placement-in-use prints the command that gives the run up, and run-deleted says what is where then', () =>
    inBothScopes(async (site) => {
      await site.atGate('early');
      const fewer = { spec: { policy: { numberOfClusters: 2 } } };
      const { stderr } = await site.patch('Placement', 'early', fewer);
      expect(stderr).toContain('would be aborted for good: the placement would ask for 2 clusters instead of 3\n');
      const [, giveUp = '', untilScheduled = ''] = commandsIn(stderr);
      await eventually('the guard has seen how far the run is', async () => {
        const told = await site.remove('UpdateRun', 'early', '--dry-run=server');
        return told.stderr !== '' || undefined;
      });
      expect(await site.paste(giveUp)).toEqual(
        admitted(
          site.deleted('UpdateRun', 'early'),
          '[run-deleted] nothing is rolled back, so 1 cluster keeps resource snapshot "0": "eu-1"',
          '[run-deleted] nothing more is rolled out, so 2 clusters keep what was there before: "eu-2" and "us-1"',
        ),
      );
      expect(await site.patch('Placement', 'early', fewer)).toEqual(
        admitted(`${site.called('Placement', 'early')} patched`),
      );
      expect(await site.paste(untilScheduled)).toEqual(admitted(`${site.called('Placement', 'early')} condition met`));
    }));
});

describe('journey: when the runs are over', () => {
  test('the command of the refusal waits for the run, and every edit passes in silence', async () => {
    await inBothScopes(async (site) => {
      const { stderr } = await site.patch('Placement', 'shop', tolerant);
      const [untilDone = ''] = commandsIn(stderr);
      const waiting = site.paste(untilDone);
      await site.approve('release');
      expect(await waiting).toEqual(admitted(`${site.called('UpdateRun', 'release')} condition met`));
    });
    // The runs of `blog` were ended by the edit of its policy, so that no label can end them.
    await guardSees(0);
    await inBothScopes(async (site) => {
      expect(await site.patch('UpdateStrategy', 'shop', { spec: { stages: gated } })).toEqual(
        admitted(`${site.called('UpdateStrategy', 'shop')} patched`),
      );
      expect(await site.patch('Placement', 'shop', tolerant)).toEqual(
        admitted(`${site.called('Placement', 'shop')} patched`),
      );
      expect(await site.remove('UpdateRun', 'release')).toEqual(admitted(site.deleted('UpdateRun', 'release')));
      expect(await site.remove('Placement', 'shop')).toEqual(admitted(site.deleted('Placement', 'shop')));
    });
    expect(await label('eu-1', 'ring=production')).toEqual(admitted(`${member('eu-1')} labeled`));
    expect(await evict('drain-2', 'us-1')).toEqual(admitted(evicted('drain-2')));
  }, 60_000);
});
