import { kindIn } from '../../../src/fleet/kinds.js';
import type { Json } from '../api.js';
import { eventually } from '../eventually.js';
import { expectStored } from '../hub.js';
import { conditionNow } from '../hub-objects.js';
import { headOf, pathOf } from '../paths.js';
import { resourceSnapshot } from '../run-controller.js';
import { conditionOf, objectOf, placement, scheduled, stage, strategy } from '../world.js';
import { apply, byCommand, byLines, byManifest, byWords, put, runCommand, type FixCase, type Site } from './case.js';
import { gated, ground, labelMembers, mustWork, runOf, setState, twoStages, within } from './ground.js';

/** An editor that does one thing. */
const editor = (script: string): Record<string, string> => ({ KUBE_EDITOR: `sed -i ${JSON.stringify(script)}` });

const hasStopped = ({ hub, scope }: Site, name: string): Promise<true> =>
  eventually(`${name} has stopped`, async () => {
    const { body } = await hub.api('admin').get(pathOf('UpdateRun', scope, name));
    return JSON.stringify(body).includes('UpdateRunStopped') || undefined;
  });

export const runCases: readonly FixCase[] = [
  {
    rule: 'run-api-version',
    scopes: [undefined],
    prepare: ground,
    write: (site) =>
      apply({
        ...runOf(site, { resourceSnapshotIndex: '', state: undefined }),
        ...headOf('UpdateRun', undefined, 'v1alpha1'),
      }),
    follow: byLines,
  },
  {
    rule: 'run-finished',
    async prepare(site) {
      await ground(site);
      await mustWork(site, apply(runOf(site)));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Succeeded']);
      await mustWork(site, setState(site, 'Stop'));
    },
    write: (site) => setState(site, 'Run'),
    follow: byManifest,
  },
  {
    rule: 'run-placement-exists',
    prepare: (site) => put(site, strategy(site.scope, site.name, twoStages)),
    write: (site) => apply(runOf(site)),
    async follow(refusal, site) {
      await runCommand(refusal, site);
      await put(site, placement(site.scope, site.name));
      return undefined;
    },
  },
  {
    rule: 'run-placement-external',
    prepare: (site) => ground(site, twoStages, { strategy: { type: 'RollingUpdate' } }),
    write: (site) => apply(runOf(site)),
    follow: byCommand(),
  },
  {
    rule: 'run-placement-scheduled',
    when: 'the policy asks for too many clusters',
    prepare: (site) =>
      put(
        site,
        strategy(site.scope, site.name, twoStages),
        placement(site.scope, site.name, { policy: { placementType: 'PickN', numberOfClusters: 5 } }),
      ),
    write: (site) => apply(runOf(site)),
    async follow(refusal, site) {
      await runCommand(refusal, site);
      await put(site, placement(site.scope, site.name, { policy: { placementType: 'PickN', numberOfClusters: 3 } }));
      return undefined;
    },
  },
  {
    rule: 'run-has-clusters',
    prepare: (site) => ground(site, twoStages, { policy: { placementType: 'PickFixed', clusterNames: [] } }),
    write: (site) => apply(runOf(site)),
    async follow(refusal, site) {
      await runCommand(refusal, site);
      await put(
        site,
        placement(site.scope, site.name, { policy: { placementType: 'PickFixed', clusterNames: ['eu-1'] } }),
      );
      return undefined;
    },
  },
  {
    rule: 'run-strategy-exists',
    async prepare(site) {
      await put(site, placement(site.scope, site.name));
      await scheduled(site.hub, site.scope, site.name);
    },
    write: (site) => apply(runOf(site)),
    async follow(refusal, site) {
      await runCommand(refusal, site);
      await put(site, strategy(site.scope, site.name, twoStages));
      return undefined;
    },
  },
  {
    rule: 'run-strategy-valid',
    prepare: (site) => put(site, placement(site.scope, site.name)),
    write: (site) => apply(runOf(site, { stagedRolloutStrategyName: 'old-no-wait' })),
    async follow(refusal, site) {
      const line = refusal.lines.at(-1) ?? '';
      await runCommand(refusal, site, { env: editor(`s/waitTime: .*/${line}/`) });
      return undefined;
    },
  },
  {
    rule: 'run-cluster-in-one-stage',
    prepare: (site) => put(site, placement(site.scope, site.name)),
    write: (site) => apply(runOf(site, { stagedRolloutStrategyName: 'old-overlap' })),
    follow: byCommand(),
  },
  {
    rule: 'run-cluster-in-some-stage',
    prepare: (site) =>
      ground(site, [stage('everyone', { labelSelector: { matchLabels: { [`part-${site.name}`]: 'mine' } } })]),
    write: (site) => apply(runOf(site)),
    // Member clusters belong to the platform, not to developers.
    follow: byCommand({ user: 'admin' }),
  },
  {
    rule: 'run-sorting-label',
    when: 'the clusters get their place',
    prepare: (site) => ground(site, [stage('everyone', { labelSelector: {}, sortingLabelKey: `order-${site.name}` })]),
    write: (site) => apply(runOf(site)),
    follow: byCommand({ user: 'admin' }),
  },
  {
    rule: 'run-sorting-label',
    when: 'the stage goes by name',
    prepare: (site) => ground(site, [stage('everyone', { labelSelector: {}, sortingLabelKey: `rank-${site.name}` })]),
    write: (site) => apply(runOf(site)),
    follow: byCommand({ at: 1 }),
  },
  {
    rule: 'run-snapshot-index',
    async prepare(site) {
      await ground(site);
      await put(site, resourceSnapshot(site.name, 2, site.scope) as Json);
    },
    write: (site) => apply(runOf(site, { resourceSnapshotIndex: '02' })),
    follow: byLines,
  },
  {
    rule: 'run-snapshot-exists',
    when: 'there is another',
    async prepare(site) {
      await ground(site);
      await put(site, resourceSnapshot(site.name, 3, site.scope) as Json);
    },
    write: (site) => apply(runOf(site, { resourceSnapshotIndex: '2' })),
    async follow(refusal, site, sent) {
      await runCommand(refusal, site);
      return byLines(refusal, site, sent);
    },
  },
  {
    rule: 'run-snapshot-exists',
    when: 'there is none',
    prepare: ground,
    write: (site) => apply(runOf(site, { resourceSnapshotIndex: '0' })),
    follow: byWords((_sent, site) => apply(runOf(site))),
  },
  ...['stops', 'deletes'].map((does, index): FixCase => ({
    rule: 'run-placement-free',
    when: `one ${does} the other run`,
    async prepare(site) {
      await ground(site, gated);
      await mustWork(site, apply(runOf(site, {}, `${site.name}-other`)));
    },
    write: (site) => apply(runOf(site)),
    async follow(refusal, site) {
      await runCommand(refusal, site, { at: index + 1 });
      if (does === 'stops') await hasStopped(site, `${site.name}-other`);
      return undefined;
    },
  })),
  {
    rule: 'run-placement-selectors',
    async prepare(site) {
      const { hub, scope, name } = site;
      await ground(site);
      const type = `${kindIn('Placement', scope).kind}Scheduled`;
      const { body } = await hub.api('admin').get(pathOf('Placement', scope, name));
      const { generation } = body['metadata'] as { generation: number };
      const broken = conditionNow(type, {
        status: 'False',
        reason: 'InvalidResourceSelectors',
        observedGeneration: generation,
      });
      const path = pathOf('Placement', scope, `${name}/status`);
      expectStored(await hub.api('hubAgent').patch(path, 'merge', { status: { conditions: [broken] } }));
    },
    write: (site) => apply(runOf(site)),
    async follow(refusal, site) {
      await runCommand(refusal, site, { env: editor('s/revisionHistoryLimit: .*/revisionHistoryLimit: 5/') });
      return undefined;
    },
  },
  {
    rule: 'run-plan-unchanged',
    async prepare(site) {
      const key = `tier-${site.name}`;
      await labelMembers(site, `eu-1 ${key}=a`, `eu-2 ${key}=b`, `us-1 ${key}=b`);
      await ground(site, [
        { name: 'first', labelSelector: { matchLabels: { [key]: 'a' } } },
        { name: 'second', labelSelector: { matchLabels: { [key]: 'b' } } },
      ]);
      await mustWork(site, apply(runOf(site, { state: 'Initialize' })));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
      await labelMembers(site, `eu-2 ${key}=a`);
    },
    write: (site) => setState(site, 'Run'),
    follow: byManifest,
  },
  {
    rule: 'run-approval-name-taken',
    async prepare(site) {
      await ground(site, gated);
      const spec = { parentStageRollout: 'another', targetStage: 'canary' };
      const gate = objectOf('ApprovalRequest', site.scope, `${site.name}-after-canary`, spec);
      expectStored(await site.hub.api('hubAgent').create(pathOf('ApprovalRequest', site.scope), gate));
    },
    write: (site) => apply(runOf(site)),
    follow: byCommand(),
  },
  ...[
    { does: 'deletes it', words: (name: string) => ['delete', name] },
    {
      does: 'edits it',
      words: (name: string) => [
        ...['patch', name, '--type=merge', '-p'],
        '{"spec":{"strategy":{"applyStrategy":{"type":"ServerSideApply"}}}}',
      ],
    },
  ].map(({ does, words }): FixCase => ({
    rule: 'placement-in-use',
    when: `someone ${does}`,
    async prepare(site) {
      await ground(site, gated);
      await mustWork(site, apply(runOf(site)));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
    },
    write({ scope, name }) {
      const [verb = '', ...rest] = words(name);
      return { args: [verb, kindIn('Placement', scope).plural, ...rest, ...within(scope)] };
    },
    follow: byCommand({ at: 1 }),
  })),
  {
    rule: 'strategy-in-use',
    async prepare(site) {
      await ground(site, gated);
      site.agent.heldBack.add(site.name);
      await mustWork(site, apply(runOf(site)));
    },
    write: ({ scope, name }) => ({ args: ['delete', kindIn('UpdateStrategy', scope).plural, name, ...within(scope)] }),
    async follow(refusal, site) {
      site.agent.heldBack.delete(site.name);
      await runCommand(refusal, site);
      return undefined;
    },
  },
  {
    rule: 'run-status-owner',
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
    follow: byWords((_sent, site) => setState(site, 'Stop')),
  },
];
