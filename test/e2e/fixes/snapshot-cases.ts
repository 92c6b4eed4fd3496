import { fleetKeys } from '../../../src/fleet/fleet-keys.js';
import type { Json } from '../harness/api.js';
import { expectStored } from '../harness/hub.js';
import { listOf, type Stored } from '../harness/hub-objects.js';
import { headOf, pathOf } from '../harness/paths.js';
import { resourceSnapshot } from '../harness/run-controller.js';
import { conditionOf } from '../harness/world.js';
import { apply, byWords, commands, pasted, put, replacedBy, type FixCase, type Site } from './case.js';
import { ground, mustWork, prepared, runOf, setState } from './ground.js';

/** Puts down whole snapshots of a placement, the last of them the latest. */
async function withSnapshots(site: Site, ...indices: readonly number[]): Promise<void> {
  await ground(site);
  for (const index of indices) {
    await put(site, resourceSnapshot(site.name, index, site.scope) as Json);
    const labels = { [fleetKeys.isLatest]: String(index === indices.at(-1)) };
    await spoil(site, index, { labels });
  }
}

const nameIn = (site: Site, index: number): string => `${site.name}-${String(index)}-snapshot`;

/** Changes what a master says of its group, behind the back of its keeper. */
async function spoil(site: Site, index: number, metadata: object): Promise<void> {
  const path = pathOf('ResourceSnapshot', site.scope, nameIn(site, index));
  expectStored(await site.hub.api('admin').patch(path, 'merge', { metadata }));
}

const hasTwoParts = { annotations: { [fleetKeys.snapshotCount]: '2' } };
const hasNoHash = { annotations: { [fleetKeys.resourceHash]: null } };

/** The second part of a group. */
function partOf({ scope, name }: Site, index: number): Json {
  const master = resourceSnapshot(name, index, scope) as { metadata: { labels: Json } };
  return {
    ...master,
    metadata: {
      name: `${name}-${String(index)}-0`,
      ...(scope !== undefined && { namespace: scope }),
      labels: { ...master.metadata.labels, [fleetKeys.isLatest]: null },
      annotations: { [fleetKeys.partIndex]: '0' },
    },
  };
}

/** Leaves the second part of a group alone. */
async function loseMaster(site: Site, index: number): Promise<void> {
  const { hub, scope } = site;
  expectStored(await hub.api('admin').create(pathOf('ResourceSnapshot', scope), partOf(site, index)));
  await hub.api('admin').delete(pathOf('ResourceSnapshot', scope, nameIn(site, index)));
}

interface Binding extends Stored {
  readonly spec: { readonly resourceSnapshotName: string };
}

/** The run, or the one that has taken its place, comes to its end, and all clusters have this snapshot. */
const rollsOut =
  (index: number, run = (site: Site): string => site.name) =>
  async (site: Site): Promise<void> => {
    const { hub, scope, name } = site;
    await conditionOf(hub, 'UpdateRun', scope, [run(site), 'Succeeded']);
    const label = `${fleetKeys.parentPlacement}=${name}`;
    const bindings = await listOf<Binding>(hub.api('admin'), 'Binding', scope, label);
    const held = new Set(bindings.map(({ spec }) => spec.resourceSnapshotName));
    if (held.size !== 1 || !held.has(nameIn(site, index))) {
      throw new Error(`the clusters have ${[...held].join(', ')} in place of ${nameIn(site, index)}`);
    }
  };

const withIndex =
  (resourceSnapshotIndex: string): FixCase['write'] =>
  (site) =>
    apply(runOf(site, { resourceSnapshotIndex }));
const withoutIndex: FixCase['write'] = (site) => apply(runOf(site));
const asAdmin = { asks: 'admin' } as const;

/** Stores a run that the guard refuses, as if it were older than the guard. */
async function storeUnseen(site: Site, manifest: Json): Promise<void> {
  const annotations = { 'stageguard.io/bypass': 'run-snapshot-index: for a test\nrun-snapshot-exists: for a test' };
  await put(site, { ...manifest, metadata: { ...(manifest['metadata'] as object), annotations } });
  const metadata = { annotations: { 'stageguard.io/bypass': null } };
  const path = pathOf('UpdateRun', site.scope, site.name);
  expectStored(await site.hub.api('admin').patch(path, 'merge', { metadata }));
}

/** The guard of these tests starts no run of a placement with this label. */
export const frozen = { frozen: 'true' };

export const snapshotCases: readonly FixCase[] = [
  {
    rule: 'run-frozen',
    when: 'the placement is frozen',
    async prepare(site) {
      const { hub, scope, name } = site;
      await withSnapshots(site, 0);
      await mustWork(site, apply(runOf(site, {}, `${name}-first`)));
      await conditionOf(hub, 'UpdateRun', scope, [`${name}-first`, 'Succeeded']);
      await put(site, resourceSnapshot(name, 1, scope) as Json);
      expectStored(
        await hub.api('admin').patch(pathOf('Placement', scope, name), 'merge', { metadata: { labels: frozen } }),
      );
    },
    write: withoutIndex,
    follow: byWords((_, site) => apply(runOf(site, { resourceSnapshotIndex: '0' }))),
    ends: rollsOut(0),
  },
  {
    rule: 'run-snapshot-index',
    when: 'it is not plain',
    prepare: (site) => withSnapshots(site, 2),
    write: withIndex('02'),
  },
  {
    rule: 'run-snapshot-index',
    when: 'it is no number',
    prepare: ground,
    write: withIndex('latest'),
    async follow(refusal, site, sent) {
      await commands()(refusal, site, sent);
      return withoutIndex(site);
    },
  },
  {
    rule: 'run-snapshot-index',
    when: 'the index is fixed',
    async prepare(site) {
      await withSnapshots(site, 0, 1);
      site.agent.heldBack.add(site.name);
      await storeUnseen(site, runOf(site, { state: 'Initialize', resourceSnapshotIndex: '01' }));
    },
    write: (site) => setState(site, 'Run'),
    follow: replacedBy(),
    ends: rollsOut(1, (site) => `${site.name}-2`),
  },
  {
    rule: 'run-snapshot-exists',
    when: 'there is another',
    prepare: (site) => withSnapshots(site, 3),
    write: withIndex('2'),
  },
  {
    rule: 'run-snapshot-exists',
    when: 'there is none at all',
    prepare: ground,
    write: withIndex('0'),
    follow: byWords((_sent, site) => withoutIndex(site)),
  },
  {
    rule: 'run-snapshot-exists',
    when: 'another is whole',
    async prepare(site) {
      await withSnapshots(site, 0, 1);
      await spoil(site, 1, hasTwoParts);
    },
    write: withIndex('1'),
    ends: rollsOut(0),
  },
  {
    rule: 'run-snapshot-exists',
    when: 'its master has lost something',
    async prepare(site) {
      await withSnapshots(site, 0, 1);
      await spoil(site, 1, hasNoHash);
    },
    write: withIndex('1'),
    follow: pasted(asAdmin),
    ends: rollsOut(1),
  },
  {
    rule: 'run-snapshot-exists',
    when: 'none is whole',
    async prepare(site) {
      await withSnapshots(site, 0);
      await spoil(site, 0, hasTwoParts);
    },
    write: withIndex('0'),
    async follow(refusal, site, sent) {
      await commands(asAdmin)(refusal, site, sent);
      return withoutIndex(site);
    },
    ends: rollsOut(1),
  },
  ...[
    { way: 'it has no hash', breaks: (site: Site) => spoil(site, 1, hasNoHash) },
    {
      way: 'it has no count',
      breaks: (site: Site) => spoil(site, 1, { annotations: { [fleetKeys.snapshotCount]: null } }),
    },
    { way: 'its master is gone', breaks: (site: Site) => loseMaster(site, 1) },
  ].map(({ way, breaks }): FixCase => ({
    rule: 'run-snapshot-exists',
    when: 'the latest is broken',
    way,
    async prepare(site) {
      await withSnapshots(site, 0, 1);
      await breaks(site);
    },
    write: withoutIndex,
    follow: pasted(asAdmin),
    ends: rollsOut(2),
  })),
  {
    rule: 'run-snapshot-exists',
    when: 'the index is fixed',
    async prepare(site) {
      await withSnapshots(site, 0, 1);
      // KubeFleet has not looked at the run yet when its snapshot goes.
      site.agent.heldBack.add(site.name);
      await mustWork(site, apply(runOf(site, { state: 'Initialize', resourceSnapshotIndex: '1' })));
      await site.hub.api('admin').delete(pathOf('ResourceSnapshot', site.scope, nameIn(site, 1)));
    },
    write: (site) => setState(site, 'Run'),
    follow: replacedBy(),
    ends: rollsOut(0, (site) => `${site.name}-2`),
  },
  {
    rule: 'run-snapshot-parts',
    when: 'the hub has overrides',
    scopes: ['team-a'],
    async prepare(site) {
      const { hub, scope, name } = site;
      await withSnapshots(site, 0, 1);
      await spoil(site, 1, hasTwoParts);
      expectStored(await hub.api('admin').create(pathOf('ResourceSnapshot', scope), partOf(site, 1)));
      const override = { name: `${name}-override-0`, labels: { [fleetKeys.isLatest]: 'true' } };
      const snapshot = { ...headOf('OverrideSnapshot', undefined), metadata: override, spec: {} };
      expectStored(await hub.api('admin').create(pathOf('OverrideSnapshot', undefined), snapshot));
    },
    write: withIndex('1'),
    async follow(refusal, site, sent) {
      await commands(asAdmin)(refusal, site, sent);
      return withoutIndex(site);
    },
    ends: rollsOut(2),
  },
  {
    rule: 'run-plan-unchanged',
    when: 'the snapshot is broken',
    async prepare(site) {
      await withSnapshots(site, 0, 1);
      await prepared(site);
      await loseMaster(site, 1);
    },
    write: (site) => setState(site, 'Run'),
    follow: replacedBy(asAdmin),
    ends: rollsOut(2, (site) => `${site.name}-2`),
  },
];
