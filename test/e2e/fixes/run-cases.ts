import { kindIn } from '../../../src/fleet/kinds.js';
import type { Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { expectStored } from '../harness/hub.js';
import { headOf, pathOf } from '../harness/paths.js';
import { conditionOf, placement, scheduled, stage, strategy } from '../harness/world.js';
import { makeRequest } from './approval-cases.js';
import { after, another, apply, bring, byWords, commands, pasted, put, then, type FixCase, type Site } from './case.js';
import { editor } from './editor.js';
import { gated, ground, labelMembers, mustWork, prepared, runOf, setState, twoStages, within } from './ground.js';

const write: FixCase['write'] = (site) => apply(runOf(site));

const bringPlacement = (site: Site): Promise<void> => bring(site, placement(site.scope, site.name));
const bringStrategy = (site: Site): Promise<void> => bring(site, strategy(site.scope, site.name, twoStages));

async function onlyPlacement(site: Site): Promise<void> {
  await put(site, placement(site.scope, site.name));
  await scheduled(site.hub, site.scope, site.name);
}

const holder = 'stageguard.io/held';

/** A placement that is on its way out, and is kept there. */
async function leavingPlacement(site: Site): Promise<void> {
  const { hub, scope, name } = site;
  await put(site, strategy(scope, name, twoStages));
  const object = placement(scope, name);
  const metadata = { ...(object['metadata'] as object), finalizers: [holder] };
  expectStored(await hub.api('admin').create(pathOf('Placement', scope), { ...object, metadata }));
  await hub.api('admin').delete(pathOf('Placement', scope, name));
}

async function letGo({ hub, scope, name }: Site): Promise<void> {
  const patch = { metadata: { finalizers: null } };
  expectStored(await hub.api('admin').patch(pathOf('Placement', scope, name), 'merge', patch));
}

const referenceCases: readonly FixCase[] = [
  {
    rule: 'run-placement-exists',
    when: 'there is none',
    prepare: (site) => put(site, strategy(site.scope, site.name, twoStages)),
    write,
    follow: then(pasted(), bringPlacement),
  },
  {
    rule: 'run-placement-exists',
    when: 'cluster scope has one',
    scopes: ['team-a'],
    prepare: (site) => put(site, strategy(site.scope, site.name, twoStages), placement(undefined, site.name)),
    write,
    follow: then(pasted(), bringPlacement),
  },
  {
    rule: 'run-placement-exists',
    when: 'the name is empty',
    prepare: ground,
    write: (site) => apply(runOf(site, { placementName: '' })),
    async follow(refusal, site, sent) {
      await commands()(refusal, site, sent);
      return apply(runOf(site));
    },
  },
  {
    rule: 'run-placement-exists',
    when: 'it is being deleted',
    prepare: leavingPlacement,
    write,
    follow: then(after(letGo), bringPlacement),
  },
  {
    rule: 'run-strategy-exists',
    when: 'there is none',
    prepare: onlyPlacement,
    write,
    follow: then(pasted(), bringStrategy),
  },
  {
    rule: 'run-strategy-exists',
    when: 'cluster scope has one',
    scopes: ['team-a'],
    async prepare(site) {
      await onlyPlacement(site);
      await put(site, strategy(undefined, site.name, twoStages));
    },
    write,
    follow: then(pasted(), bringStrategy),
  },
  {
    rule: 'run-strategy-exists',
    when: 'the name is empty',
    prepare: ground,
    write: (site) => apply(runOf(site, { stagedRolloutStrategyName: '' })),
    async follow(refusal, site, sent) {
      await commands()(refusal, site, sent);
      return apply(runOf(site));
    },
  },
];

const alpha = (manifest: Json, family: 'UpdateRun' | 'UpdateStrategy' = 'UpdateRun'): Json => ({
  ...manifest,
  ...headOf(family, undefined, 'v1alpha1'),
});
const alphaRun = (site: Site, name = site.name): Json =>
  alpha(runOf(site, { resourceSnapshotIndex: '', state: undefined }, name));
const alphaStrategy = ({ name }: Site): Json => alpha(strategy(undefined, name, [stage('canary')]), 'UpdateStrategy');

// Only the kinds of cluster scope have a v1alpha1.
const apiVersionCases: readonly FixCase[] = [
  { write: (site: Site) => apply(alphaRun(site)), when: 'something is created', way: 'it is a run' },
  { write: (site: Site) => apply(alphaStrategy(site)), when: 'something is created', way: 'it is a strategy' },
  { write: (site: Site) => apply(alphaStrategy(site)), when: 'something is changed', way: 'by its manifest' },
  {
    write: (site: Site) => apply(alphaStrategy(site)),
    when: 'something is changed',
    way: 'by hand',
    async follow(...[refusal, site, sent]: Parameters<NonNullable<FixCase['follow']>>) {
      await another('edit', { env: editor({ stages: [stage('canary')] }) })(refusal, site, sent);
      return { args: ['version'] };
    },
  },
  {
    write: (site: Site) => apply(alphaRun(site, `${site.name}-${'x'.repeat(80)}`)),
    when: 'the name is too long',
    async follow(...[refusal, site, sent]: Parameters<NonNullable<FixCase['follow']>>) {
      const next = await pasted()(refusal, site, sent);
      return next && { ...next, manifest: { ...next.manifest, ...headOf('UpdateRun', undefined) } };
    },
  },
].map((one) => ({
  rule: 'run-api-version',
  scopes: [undefined],
  prepare: one.when === 'something is created' && one.way === 'it is a strategy' ? () => Promise.resolve() : ground,
  ...one,
}));

/** A run that was initialized when two of its clusters were in the second stage. */
async function initializedByLabels(site: Site): Promise<void> {
  const key = `tier-${site.name}`;
  await labelMembers(site, `eu-1 ${key}=a`, `eu-2 ${key}=b`, `us-1 ${key}=b`);
  await ground(site, [
    { name: 'first', labelSelector: { matchLabels: { [key]: 'a' } } },
    { name: 'second', labelSelector: { matchLabels: { [key]: 'b' } } },
  ]);
  await prepared(site);
}
const moveCluster =
  (to: string) =>
  (site: Site): Promise<void> =>
    labelMembers(site, `eu-2 tier-${site.name}=${to}`);

/** The new run takes the place of the old one. */
const replaced: FixCase['follow'] = async (refusal, site, sent) => {
  await another('delete')(refusal, site, sent);
  return pasted()(refusal, site, sent);
};

async function unbind({ hub, scope, name }: Site): Promise<void> {
  const label = `kubernetes-fleet.io/parent-CRP%3D${name}`;
  expectStored(await hub.api('hubAgent').delete(`${pathOf('Binding', scope)}?labelSelector=${label}`));
}

async function pickAgain({ hub, scope, name }: Site): Promise<void> {
  const policy = { placementType: 'PickAll', tolerations: [{ key: 'dedicated', operator: 'Exists' }] };
  expectStored(await hub.api('alice').patch(pathOf('Placement', scope, name), 'merge', { spec: { policy } }));
  await scheduled(hub, scope, name);
}

const planCases: readonly FixCase[] = [
  {
    rule: 'run-plan-unchanged',
    when: 'all clusters are gone',
    async prepare(site) {
      await ground(site);
      await prepared(site);
      await unbind(site);
    },
    write: (site) => setState(site, 'Run'),
    follow: after(pickAgain, replaced),
  },
  {
    rule: 'run-plan-unchanged',
    when: 'the stages are others',
    async prepare(site) {
      await initializedByLabels(site);
      await moveCluster('a')(site);
    },
    write: (site) => setState(site, 'Run'),
    follow: replaced,
  },
  ...[
    { way: 'put back', follow: after(moveCluster('b'), () => Promise.resolve(undefined)) },
    { way: 'put right in another way', follow: after(moveCluster('a'), replaced) },
  ].map(({ way, follow }): FixCase => ({
    rule: 'run-plan-unchanged',
    when: 'labels are wrong',
    way,
    async prepare(site) {
      await initializedByLabels(site);
      await moveCluster('nowhere')(site);
    },
    write: (site) => setState(site, 'Run'),
    follow,
  })),
];

export const runCases: readonly FixCase[] = [
  ...apiVersionCases,
  ...referenceCases,
  ...planCases,
  {
    rule: 'run-finished',
    when: 'it is over',
    async prepare(site) {
      await ground(site);
      await mustWork(site, apply(runOf(site)));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Succeeded']);
      await mustWork(site, setState(site, 'Stop'));
    },
    write: (site) => setState(site, 'Run'),
  },
  {
    rule: 'run-placement-external',
    when: 'it rolls out by itself',
    prepare: (site) => ground(site, twoStages, { strategy: { type: 'RollingUpdate' } }),
    write,
  },
  {
    rule: 'run-approval-name-taken',
    when: 'a request is left',
    async prepare(site) {
      await ground(site, gated);
      const spec = { parentStageRollout: 'another', targetStage: 'canary' };
      await makeRequest(site.hub, site.scope, `${site.name}-after-canary`, spec);
    },
    write,
  },
  {
    rule: 'run-status-owner',
    when: 'somebody else writes it',
    async prepare(site) {
      await ground(site, gated);
      await mustWork(site, apply(runOf(site)));
      await eventually('the run has a status', async () => {
        const { body } = await site.hub.api('admin').get(pathOf('UpdateRun', site.scope, site.name));
        return body['status'] === undefined ? undefined : true;
      });
    },
    write: ({ scope, name }) => ({
      user: 'admin',
      args: [
        ...['patch', kindIn('UpdateRun', scope).plural, name, ...within(scope), '--subresource=status'],
        ...['--type=merge', '-p', '{"status":{"policySnapshotIndexUsed":"7"}}'],
      ],
    }),
    follow: byWords(({ user }, site) => ({ ...setState(site, 'Stop'), ...(user && { user }) })),
  },
];
