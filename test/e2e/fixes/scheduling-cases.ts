import { fleetKeys } from '../../../src/fleet/fleet-keys.js';
import type { Json } from '../harness/api.js';
import { expectStored } from '../harness/hub.js';
import { listOf, type Stored } from '../harness/hub-objects.js';
import { headOf, pathOf } from '../harness/paths.js';
import { resourceSnapshot } from '../harness/run-controller.js';
import { unselectable } from '../harness/scheduler.js';
import { placement, strategy } from '../harness/world.js';
import { after, apply, bring, pasted, put, then, type FixCase, type Site } from './case.js';
import { edited } from './editor.js';
import { ground, runOf, twoStages } from './ground.js';

const pickN = (numberOfClusters: number): object => ({ policy: { placementType: 'PickN', numberOfClusters } });
const pickFixed = (...clusterNames: readonly string[]): object => ({
  policy: { placementType: 'PickFixed', clusterNames },
});

const reserved = { resourceSelectors: [unselectable] };
const selectable = edited(() => ({
  resourceSelectors: [{ group: '', version: 'v1', kind: 'ConfigMap', name: 'settings' }],
}));

/** Changes the first policy snapshot of a placement behind the back of its keeper. */
async function spoil({ hub, scope, name }: Site, metadata: object): Promise<void> {
  expectStored(await hub.api('admin').patch(pathOf('PolicySnapshot', scope, `${name}-0`), 'merge', { metadata }));
}

/** A policy snapshot that was left behind with the label of the latest. */
async function leaveBehind({ hub, scope, name }: Site): Promise<void> {
  const labels = { [fleetKeys.parentPlacement]: name, [fleetKeys.isLatest]: 'true' };
  const snapshot = {
    ...headOf('PolicySnapshot', scope),
    metadata: { name: `${name}-old`, labels },
    spec: { policyHash: 'aGFzaA==' },
  };
  expectStored(await hub.api('hubAgent').create(pathOf('PolicySnapshot', scope), snapshot));
}

/** Bindings that are taken away, and come back when a case says so. */
class Unbound {
  private readonly taken = new Map<string, readonly Stored[]>();

  async take({ hub, scope, name }: Site, most = Infinity): Promise<void> {
    const api = hub.api('hubAgent');
    const bound = await listOf(api, 'Binding', scope, `${fleetKeys.parentPlacement}=${name}`);
    const chosen = bound.slice(0, most);
    for (const { metadata } of chosen) await api.delete(pathOf('Binding', scope, metadata.name));
    this.taken.set(name, chosen);
  }

  async giveBack({ hub, scope, name }: Site): Promise<void> {
    for (const binding of this.taken.get(name) ?? []) {
      const { name: own, labels } = binding.metadata;
      const object = { ...headOf('Binding', scope), ...binding, metadata: { name: own, labels } };
      expectStored(await hub.api('hubAgent').create(pathOf('Binding', scope), object));
    }
  }
}
const unbound = new Unbound();

const write: FixCase['write'] = (site) => apply(runOf(site));

const scheduledCases: readonly FixCase[] = [
  {
    rule: 'run-placement-scheduled',
    when: 'the scheduler is not done',
    async prepare(site) {
      site.agent.unscheduled.add(site.name);
      await put(site, placement(site.scope, site.name), strategy(site.scope, site.name, twoStages));
    },
    write,
    follow: after((site) => Promise.resolve(site.agent.unscheduled.delete(site.name))),
  },
  {
    rule: 'run-placement-scheduled',
    when: 'the policy asks for too much',
    prepare: (site) =>
      put(site, strategy(site.scope, site.name, twoStages), placement(site.scope, site.name, pickN(5))),
    write,
    follow: then(pasted(), (site) => bring(site, placement(site.scope, site.name, pickN(3)))),
  },
  {
    rule: 'run-placement-scheduled',
    when: 'the policy names none',
    async prepare(site) {
      site.agent.unscheduled.add(site.name);
      const { scope, name } = site;
      await put(site, placement(scope, name, pickFixed()), strategy(scope, name, twoStages));
    },
    write,
    follow: after(
      (site) => Promise.resolve(site.agent.unscheduled.delete(site.name)),
      edited(() => pickFixed('eu-1')),
    ),
  },
  {
    rule: 'run-placement-scheduled',
    when: 'the selectors are bad',
    async prepare(site) {
      await ground(site, twoStages, reserved);
      await put(site, resourceSnapshot(site.name, 0, site.scope) as Json);
    },
    write: (site) => apply(runOf(site, { resourceSnapshotIndex: '0' })),
    follow: selectable,
  },
  {
    rule: 'run-placement-scheduled',
    when: 'two policy snapshots are the latest',
    async prepare(site) {
      await ground(site);
      await leaveBehind(site);
    },
    write,
    follow: pasted({ asks: 'admin' }),
  },
  {
    rule: 'run-placement-scheduled',
    when: 'the policy snapshot has no index',
    async prepare(site) {
      await ground(site);
      await spoil(site, { labels: { [fleetKeys.policyIndex]: null } });
    },
    write,
    follow: pasted({ asks: 'admin' }),
  },
  {
    rule: 'run-placement-scheduled',
    when: 'the policy snapshot has no number',
    async prepare(site) {
      await ground(site, twoStages, pickN(3));
      await spoil(site, { annotations: { [fleetKeys.numberOfClusters]: null } });
    },
    write,
    follow: pasted({ asks: 'admin' }),
  },
];

export const schedulingCases: readonly FixCase[] = [
  ...scheduledCases,
  {
    rule: 'run-placement-selectors',
    when: 'they are bad',
    prepare: (site) => ground(site, twoStages, reserved),
    write,
    follow: selectable,
  },
  {
    rule: 'run-has-clusters',
    when: 'no cluster fits',
    async prepare(site) {
      await ground(site);
      await unbound.take(site);
    },
    write,
    follow: then(pasted(), (site) => unbound.giveBack(site)),
  },
  {
    rule: 'run-has-clusters',
    when: 'one is not bound yet',
    async prepare(site) {
      await ground(site, twoStages, pickN(3));
      await unbound.take(site, 1);
    },
    write,
    follow: then(pasted(), (site) => unbound.giveBack(site)),
  },
  {
    rule: 'run-has-clusters',
    when: 'the policy names none',
    prepare: (site) => ground(site, twoStages, pickFixed()),
    write,
    follow: edited(() => pickFixed('eu-1')),
  },
  {
    rule: 'run-has-clusters',
    when: 'the policy names one twice',
    // In cluster scope KubeFleet's own definitions do not take it.
    scopes: ['team-a'],
    prepare: (site) => ground(site, twoStages, pickFixed('eu-1', 'eu-1')),
    write,
  },
  {
    rule: 'run-has-clusters',
    when: 'the policy asks for none',
    prepare: (site) => ground(site, twoStages, pickN(0)),
    write,
  },
];
