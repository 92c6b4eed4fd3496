import { kindIn } from '../../../src/fleet/kinds.js';
import type { Json } from '../harness/api.js';
import { headOf, type Scope } from '../harness/paths.js';
import { resourceSnapshot } from '../harness/run-controller.js';
import { conditionOf, placement, run, scheduled, stage, strategy } from '../harness/world.js';
import { waitingRun } from './approval-cases.js';
import { apply, put, type Sent, type Site } from './case.js';
import { ground, runOf, running, setState, stuck, twoStages, within } from './ground.js';

/** A rule that warns and prints a command in its warning, and what the command must come to. */
export interface WarningCase {
  readonly rule: string;
  prepare(site: Site): Promise<void>;
  write(site: Site): Sent;
  /** Whether the command has done what the warning promises. */
  after(site: Site): Promise<void>;
}

const gateOf = ({ name }: Site): string => `${name}-after-canary`;

export const warningCases: readonly WarningCase[] = [
  {
    rule: 'run-not-started',
    prepare: ground,
    write: (site) => apply(runOf(site, { state: 'Initialize' })),
    after: (site) => conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Succeeded']),
  },
  {
    rule: 'approval-has-effect',
    prepare: waitingRun,
    // Without --subresource=status the API server drops it.
    write: (site) => {
      const patch = JSON.stringify({ status: { conditions: [{ type: 'Approved', status: 'True' }] } });
      const { plural } = kindIn('ApprovalRequest', site.scope);
      return { args: ['patch', plural, gateOf(site), ...within(site.scope), '--type=merge', '-p', patch] };
    },
    after: (site) => conditionOf(site.hub, 'ApprovalRequest', site.scope, [gateOf(site), 'ApprovalAccepted']),
  },
];

/** A rule that warns and leaves it at that. */
export interface NoticeCase {
  readonly rule: string;
  readonly scopes?: readonly Scope[];
  prepare?(site: Site): Promise<void>;
  /** Sent as a dry run, until the guard has heard of all that was prepared. */
  write(site: Site): Sent;
}

const nobody = { name: 'nobody', labelSelector: { matchLabels: { ring: 'nobody' } } };
const clusters = (numberOfClusters: number): object => ({ policy: { placementType: 'PickN', numberOfClusters } });

/** A namespace that nothing places on the member clusters. */
const apart = 'team-apart';

export const noticeCases: readonly NoticeCase[] = [
  {
    rule: 'run-deleted',
    prepare: waitingRun,
    write: ({ scope, name }) => ({ args: ['delete', kindIn('UpdateRun', scope).plural, name, ...within(scope)] }),
  },
  {
    rule: 'run-empty-stage',
    prepare: (site) => ground(site, [...twoStages, nobody]),
    write: (site) => apply(runOf(site)),
  },
  {
    rule: 'run-latest-snapshot',
    async prepare(site) {
      await ground(site);
      await put(site, resourceSnapshot(site.name, 0, site.scope) as Json);
    },
    write: (site) => apply(runOf(site)),
  },
  {
    rule: 'run-removes-clusters',
    async prepare(site) {
      await ground(site, twoStages, clusters(3));
      await put(site, placement(site.scope, site.name, clusters(1)));
      await scheduled(site.hub, site.scope, site.name);
    },
    write: (site) => apply(runOf(site)),
  },
  { rule: 'run-stop-effect', prepare: stuck, write: (site) => setState(site, 'Stop') },
  {
    rule: 'run-namespace-on-members',
    scopes: [apart],
    async prepare(site) {
      const metadata = { name: apart };
      await put(site, { apiVersion: 'v1', kind: 'Namespace', metadata }, placement(apart, site.name));
    },
    write: ({ name }) => apply(run(apart, name, { placementName: name, stagedRolloutStrategyName: name })),
  },
  {
    rule: 'strategy-stage-selects',
    write: ({ scope, name }) => apply(strategy(scope, name, [stage('canary'), { name: 'production' }])),
  },
  {
    rule: 'approval-deleted',
    prepare: waitingRun,
    write: (site) => {
      const { plural } = kindIn('ApprovalRequest', site.scope);
      return { args: ['delete', plural, gateOf(site), ...within(site.scope)] };
    },
  },
  {
    rule: 'eviction-in-use',
    scopes: [undefined],
    prepare: running,
    write: ({ name }) => ({
      user: 'admin',
      ...apply({
        ...headOf('Eviction', undefined),
        metadata: { name },
        spec: { placementName: name, clusterName: 'us-1' },
      }),
    }),
  },
  {
    rule: 'member-cluster-in-use',
    scopes: [undefined],
    prepare: running,
    write: () => ({ user: 'admin', args: ['label', 'memberclusters', 'us-1', 'ring=elsewhere', '--overwrite'] }),
  },
];
