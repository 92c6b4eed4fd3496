import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn, type Family } from '../../src/fleet/kinds.js';
import { run as stageguard } from '../support/captured-io.js';
import type { Json } from './harness/api.js';
import { eventually } from './harness/eventually.js';
import { chart, kustomization, reconcile, release, sync, type Commit } from './harness/gitops-tools.js';
import { kubectl, type Ran } from './harness/kubectl.js';
import { pathOf, type Scope } from './harness/paths.js';
import { pooled } from './harness/pooled.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { bothScopes, conditionOf, joinMembers, placement, run, stage, strategy, yamlOf } from './harness/world.js';

const it = useGuardedHub();
beforeAll(async () => {
  // As on a busy hub: nothing that comes in one commit is scheduled when its run arrives.
  it().agent.schedulerMilliseconds = 3000;
  await joinMembers(it().hub);
}, 30_000);

const stages = [stage('canary'), stage('production')];

/** Where a journey happens, and the names it uses. */
interface Site {
  readonly scope: Scope;
  readonly name: string;
}

function commitOf({ scope, name }: Site, names: Partial<Record<keyof Commit, string>> = {}): Commit {
  const { placement: ofPlacement = name, strategy: ofStrategy = name, run: ofRun = name } = names;
  return {
    placement: placement(scope, ofPlacement),
    strategy: strategy(scope, ofStrategy, stages),
    run: run(scope, ofRun, { placementName: ofPlacement, stagedRolloutStrategyName: ofStrategy }),
  };
}

const annotated = (object: Json, annotations: Readonly<Record<string, string>>): Json => ({
  ...object,
  metadata: { ...(object['metadata'] as object), annotations },
});

async function isStored(family: Family, { scope, name }: Site): Promise<boolean> {
  const { status } = await it()
    .hub.api('admin')
    .get(pathOf(family, scope, name));
  return status === 200;
}

/** The refusal that tells how to bring the run last. */
function expectRefused({ code, stderr }: Ran, layout: string): void {
  expect([code === 0, stderr]).toEqual([false, expect.stringContaining('[run-strategy-exists]')]);
  expect(stderr.replaceAll(/\s*\n\s*# /g, ' ')).toContain(layout);
}

const expectDone = ({ code, stderr }: Ran): void => {
  expect([code, stderr.includes('refused')]).toEqual([0, false]);
};

/** What the guard has said of a run, dry runs aside. */
function decisionsOn({ scope, name }: Site): readonly string[] {
  const { kind } = kindIn('UpdateRun', scope);
  const object = scope === undefined ? name : `${scope}/${name}`;
  const decisions = it().guard.decisions();
  return decisions
    .filter((one) => one.kind === kind && one.object === object && !one.dryRun)
    .map(({ decision }) => decision);
}

interface Journey {
  readonly title: string;
  /** The name of the run that comes out of it, where one does. */
  readonly run?: (name: string) => string;
  walk(site: Site): Promise<void>;
}

/** Its placement is scheduled only when the run has been told to come again; the run is let in once, at the end. */
async function go(journey: Journey, site: Site): Promise<void> {
  if (journey.run === undefined) {
    await journey.walk(site);
    return;
  }
  const { unscheduled } = it().agent;
  const ofRun = { ...site, name: journey.run(site.name) };
  unscheduled.add(site.name);
  const toldToWait = eventually(
    `${ofRun.name} is told to come again`,
    () => decisionsOn(ofRun).includes('retry') || undefined,
    90,
  ).then(() => unscheduled.delete(site.name));
  await Promise.all([journey.walk(site), toldToWait]);
  // The log of a decision may come after its answer.
  await eventually('the log of the admission', () => decisionsOn(ofRun).includes('admit') || undefined);
  expect(decisionsOn(ofRun).filter((decision) => decision === 'admit')).toHaveLength(1);
  expect(await isStored('UpdateRun', ofRun)).toBe(true);
}

/** A chart whose run is a hook, and waits for an approval half-way. */
function hooked(site: Site, ofRun: string): readonly Json[] {
  const commit = commitOf(site, { run: ofRun });
  const gated = [stage('canary', { afterStageTasks: [{ type: 'Approval' }] }), stage('production')];
  const hook = annotated(commit.run, { 'helm.sh/hook': 'post-install,post-upgrade' });
  return [commit.placement, strategy(site.scope, site.name, gated), hook];
}

const sameName = (name: string): string => name;

const journeys: readonly Journey[] = [
  {
    title: 'kubectl apply -f: in the order in which they are needed, it simply works',
    run: sameName,
    async walk(site) {
      const { placement: first, strategy: second, run: third } = commitOf(site);
      const args = ['apply', '-f', '-'];
      const together = await kubectl(it().hub, 'alice', args, { stdin: yamlOf(first, second, third) });
      expectDone(together);
      expect(together.stdout.match(/ created$/gm)).toHaveLength(3);
    },
  },
  {
    title: 'kubectl apply -k: the run comes before its strategy and is refused; the same again works',
    run: sameName,
    async walk(site) {
      const { hub } = it();
      const args = ['apply', '-k', kustomization(hub, commitOf(site))];
      expectRefused(await kubectl(hub, 'alice', args), 'kustomize with "sortOptions: {order: fifo}"');
      expect(await isStored('UpdateStrategy', site)).toBe(true);
      expectDone(await kubectl(hub, 'alice', args));
    },
  },
  {
    title: 'kubectl apply -k with sortOptions: {order: fifo}: it works at once',
    run: sameName,
    async walk(site) {
      const { hub } = it();
      const folder = kustomization(hub, commitOf(site), { sortOptions: { order: 'fifo' } });
      expectDone(await kubectl(hub, 'alice', ['apply', '-k', folder]));
    },
  },
  {
    title: 'helm install: the run comes before its strategy and is refused; helm upgrade then works',
    run: sameName,
    async walk(site) {
      const { hub } = it();
      const folder = chart(hub, Object.values(commitOf(site)) as Json[]);
      expectRefused(await release(hub, ['install'], site.name, folder), 'Helm with a post-install,post-upgrade hook');
      expect(await isStored('UpdateStrategy', site)).toBe(true);
      expectDone(await release(hub, ['upgrade'], site.name, folder));
    },
  },
  {
    title: 'helm install --atomic: the run is refused and all is taken back, however often',
    async walk(site) {
      const { hub } = it();
      const folder = chart(hub, Object.values(commitOf(site)) as Json[]);
      for (let attempt = 0; attempt < 2; attempt++) {
        const ran = await release(hub, ['install', '--atomic'], site.name, folder);
        expectRefused(ran, 'Helm with a post-install,post-upgrade hook');
        expect(await isStored('Placement', site)).toBe(false);
        expect(await isStored('UpdateStrategy', site)).toBe(false);
      }
    },
  },
  {
    title: 'helm upgrade: it stops at the run and never comes to the new strategy, however often',
    async walk(site) {
      const { hub } = it();
      const commit = commitOf(site);
      expectDone(await release(hub, ['install'], site.name, chart(hub, [commit.placement])));
      const folder = chart(hub, Object.values(commit) as Json[]);
      for (let attempt = 0; attempt < 2; attempt++) {
        expectRefused(await release(hub, ['upgrade'], site.name, folder), 'Helm with a post-install,post-upgrade hook');
        expect(await isStored('UpdateStrategy', site)).toBe(false);
      }
    },
  },
  {
    title: 'helm with the run as a hook: install and upgrade work at once, each with a run of its own',
    run: (name) => `${name}-1`,
    async walk(site) {
      const { hub } = it();
      const commit = commitOf(site, { run: `${site.name}-{{ .Release.Revision }}` });
      const hook = annotated(commit.run, { 'helm.sh/hook': 'post-install,post-upgrade' });
      const folder = chart(hub, [commit.placement, commit.strategy, hook]);
      expectDone(await release(hub, ['install'], site.name, folder));
      await conditionOf(hub, 'UpdateRun', site.scope, [`${site.name}-1`, 'Succeeded']);
      expectDone(await release(hub, ['upgrade'], site.name, folder));
      expect(await isStored('UpdateRun', { ...site, name: `${site.name}-1` })).toBe(true);
      expect(await isStored('UpdateRun', { ...site, name: `${site.name}-2` })).toBe(true);
    },
  },
  {
    title: 'helm with the run as a hook: an upgrade while the last run goes on is refused',
    run: (name) => `${name}-1`,
    async walk(site) {
      const { hub } = it();
      const folder = chart(hub, hooked(site, `${site.name}-{{ .Release.Revision }}`));
      expectDone(await release(hub, ['install'], site.name, folder));
      const { code, stderr } = await release(hub, ['upgrade'], site.name, folder);
      expect([code, stderr]).toEqual([1, expect.stringContaining('[run-placement-free]')]);
      expect(await isStored('UpdateRun', { ...site, name: `${site.name}-1` })).toBe(true);
    },
  },
  {
    title: 'helm with the run as a hook under one name: an upgrade deletes the last run, even one that goes on',
    async walk(site) {
      const { hub } = it();
      const folder = chart(hub, hooked(site, site.name));
      const uid = async (): Promise<unknown> => {
        const { body } = await hub.api('admin').get(pathOf('UpdateRun', site.scope, site.name));
        return (body['metadata'] as Json)['uid'];
      };
      expectDone(await release(hub, ['install'], site.name, folder));
      await conditionOf(hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
      const first = await uid();
      expectDone(await release(hub, ['upgrade'], site.name, folder));
      const second = await uid();
      expect([typeof first, typeof second, first === second]).toEqual(['string', 'string', false]);
    },
  },
  {
    title: 'Argo CD, all in one wave: names decide; a run that comes first is refused, and the next attempt works',
    run: (name) => `${name}-release`,
    async walk(site) {
      const { hub } = it();
      const { name } = site;
      const objects = Object.values(commitOf(site, { run: `${name}-release`, strategy: `${name}-rings` })) as Json[];
      expectRefused(await sync(hub, objects), 'Argo CD with a later sync wave');
      expect(await isStored('UpdateStrategy', { ...site, name: `${name}-rings` })).toBe(true);
      expectDone(await sync(hub, objects));
    },
  },
  {
    title: 'Argo CD with the run in a later wave: it works at once',
    run: (name) => `${name}-release`,
    async walk(site) {
      const { hub } = it();
      const { name } = site;
      const commit = commitOf(site, { run: `${name}-release`, strategy: `${name}-rings` });
      const late = annotated(commit.run, { 'argocd.argoproj.io/sync-wave': '1' });
      expectDone(await sync(hub, [commit.placement, commit.strategy, late]));
    },
  },
  {
    title:
      'Flux, all in one Kustomization: the dry run passes, then it stops at the run and never comes to the strategy',
    async walk(site) {
      const objects = Object.values(commitOf(site)) as Json[];
      for (let attempt = 0; attempt < 2; attempt++) {
        expectRefused(await reconcile(it().hub, objects), 'Flux with a second Kustomization that has dependsOn');
        expect(await isStored('UpdateStrategy', site)).toBe(false);
      }
    },
  },
  {
    title: 'Flux with the run in a Kustomization of its own that depends on the other: it works at once',
    run: sameName,
    async walk(site) {
      const { hub } = it();
      const commit = commitOf(site);
      expectDone(await reconcile(hub, [commit.placement, commit.strategy]));
      expectDone(await reconcile(hub, [commit.run]));
      // And every time after that nothing is to be done.
      expectDone(await reconcile(hub, [commit.run]));
    },
  },
  {
    title: 'Flux with strategies in its custom apply stage: one Kustomization works at once',
    run: sameName,
    async walk(site) {
      const { hub } = it();
      const commit = commitOf(site);
      expectDone(await reconcile(hub, [commit.strategy]));
      expectDone(await reconcile(hub, [commit.placement, commit.run]));
    },
  },
];

describe('journey: placement, strategy and run in one commit', () => {
  const rows = journeys.flatMap((journey, index) =>
    bothScopes.map(([where, scope]): [string, () => Promise<void>] => [
      `${where}, ${journey.title}`,
      () => go(journey, { scope, name: `commit-${index}-${scope ?? 'hub'}` }),
    ]),
  );
  let outcomes: readonly Promise<void>[] = [];
  // Most of the time goes into waiting for the scheduler, so several are on their way.
  beforeAll(() => {
    outcomes = pooled(
      rows.map(([, walk]) => walk),
      8,
    );
  });

  test.each(rows.map(([title], index): [string, number] => [title, index]))(
    '%s',
    async (_title, index) => {
      await outcomes[index];
    },
    120_000,
  );
});

test('a hub is judged alike from a file of it', async () => {
  const { hub } = it();
  const kubeconfig = ['--kubeconfig', hub.kubeconfig('admin')];
  const file = join(hub.folder, 'hub.json');
  // A hub says which KubeFleet it runs; a file does not.
  const config = join(hub.folder, 'stageguard.yaml');
  writeFileSync(config, 'kubefleet: {version: v0.3.1}');

  const input = bothScopes
    .map(([, scope]) => yamlOf(run(scope, 'export', { placementName: 'export', stagedRolloutStrategyName: 'export' })))
    .join('---\n');
  for (const argv of [['check', '-'], ['audit']].map((one) => [...one, '--config', config])) {
    // The runs of the journeys go on meanwhile.
    const out = await eventually(`${argv.join(' ')} says the same of both`, async () => {
      const exported = await stageguard(['export', ...kubeconfig]);
      expect({ code: exported.code, err: exported.err }).toEqual({ code: 0, err: '' });
      writeFileSync(file, exported.out);
      const fromFile = await stageguard([...argv, '--fleet', file, '--format', 'json'], { input });
      const fromHub = await stageguard([...argv, ...kubeconfig, '--format', 'json'], { input });
      return isDeepStrictEqual(withoutPlaces(fromFile.out), withoutPlaces(fromHub.out)) ? fromHub.out : undefined;
    });
    expect(out).toContain(argv.includes('check') ? '"rule"' : '"judged"');
  }
}, 150_000);

/** What is judged. Where it stands in a file, only the report of a file can say. */
function withoutPlaces(report: string): unknown {
  return JSON.parse(report, (key, value: unknown) => (['file', 'line', 'column'].includes(key) ? undefined : value));
}
