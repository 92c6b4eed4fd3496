import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import { catalogue } from '../../src/rules/index.js';
import { conditionNow } from './hub-objects.js';
import { eventually } from './eventually.js';
import { apply, put, send, type Sent, type Site } from './fixes/case.js';
import { ground, labelMembers, mustWork, running, runOf, setState, stuck, twoStages, within } from './fixes/ground.js';
import type { Ran } from './kubectl.js';
import { pathOf } from './paths.js';
import { pooled } from './pooled.js';
import { useGuardedHub } from './use-guarded-hub.js';
import { bothScopes, conditionOf, joinMembers, placement, scheduled, stage, strategy } from './world.js';

/** One failure that KubeFleet's troubleshooting documents describe, at the write that causes it. */
interface Failure {
  /** Which of the documents describe it. */
  readonly in: readonly ('guide' | 'older guide' | 'overview' | 'execution failures' | 'stuck runs')[];
  readonly what: string;
  /** The rule that stands for it. */
  readonly rule: string;
  readonly outcome: 'refused' | 'warned' | 'mended';
  prepare?(site: Site): Promise<void>;
  write(site: Site): Sent;
  /** What must be true afterwards. */
  after?(site: Site, ran: Ran): Promise<void>;
}

const gateOf = ({ name }: Site): string => `${name}-after-canary`;

async function atGate(site: Site): Promise<void> {
  await running(site);
  await eventually('the run waits at its gate', async () => {
    const { status } = await site.hub.api('admin').get(pathOf('ApprovalRequest', site.scope, gateOf(site)));
    return status === 200 ? true : undefined;
  });
}

const remove = (family: 'Placement' | 'UpdateStrategy', { scope, name }: Site): Sent => ({
  args: ['delete', kindIn(family, scope).plural, name, ...within(scope)],
});

/** As the documents print it, with the generation that nobody looked up. */
function approveAtGeneration(generation: number, site: Site): Sent {
  const condition = {
    ...conditionNow('Approved', { reason: 'approved', message: 'approved' }),
    observedGeneration: generation,
  };
  const patch = JSON.stringify({ status: { conditions: [condition] } });
  const { plural } = kindIn('ApprovalRequest', site.scope);
  return {
    args: ['patch', plural, gateOf(site), ...within(site.scope), '--type=merge', '-p', patch, '--subresource=status'],
  };
}

const failures: readonly Failure[] = [
  {
    in: ['guide', 'older guide'],
    what: 'the run names a resource snapshot index that no snapshot has',
    rule: 'run-snapshot-exists',
    outcome: 'refused',
    prepare: ground,
    write: (site) => apply(runOf(site, { resourceSnapshotIndex: '1' })),
  },
  {
    in: ['guide', 'older guide', 'execution failures'],
    what: 'the placement is deleted while a run goes on',
    rule: 'placement-in-use',
    outcome: 'refused',
    prepare: running,
    write: (site) => remove('Placement', site),
  },
  {
    in: ['guide', 'older guide', 'execution failures'],
    what: 'a second run takes the clusters from the first',
    rule: 'run-placement-free',
    outcome: 'refused',
    prepare: running,
    write: (site) => apply(runOf(site, {}, `${site.name}-second`)),
  },
  {
    in: ['guide', 'overview'],
    what: 'a run without a state waits for ever',
    rule: 'run-not-started',
    outcome: 'warned',
    prepare: ground,
    write: (site) => apply(runOf(site, { state: undefined })),
  },
  {
    in: ['guide'],
    what: 'a run is created in state Stop',
    rule: 'run-not-started',
    outcome: 'warned',
    prepare: ground,
    write: (site) => apply(runOf(site, { state: 'Stop' })),
  },
  {
    in: ['guide', 'overview'],
    what: 'an approval of another generation is passed over without a word',
    rule: 'stamp-approval',
    outcome: 'mended',
    prepare: atGate,
    write: (site) => approveAtGeneration(0, site),
    after: (site) => conditionOf(site.hub, 'ApprovalRequest', site.scope, [gateOf(site), 'ApprovalAccepted']),
  },
  {
    in: ['overview'],
    what: 'the placement of a run is not there',
    rule: 'run-placement-exists',
    outcome: 'refused',
    prepare: (site) => put(site, strategy(site.scope, site.name, twoStages)),
    write: (site) => apply(runOf(site)),
  },
  {
    in: ['overview'],
    what: 'the strategy of a run is not there',
    rule: 'run-strategy-exists',
    outcome: 'refused',
    async prepare(site) {
      await put(site, placement(site.scope, site.name));
      await scheduled(site.hub, site.scope, site.name);
    },
    write: (site) => apply(runOf(site)),
  },
  {
    // The document says that this aborts the run; the controller goes by the copy in the status of the run.
    in: ['execution failures'],
    what: 'the strategy is deleted while a run goes on',
    rule: 'strategy-in-use',
    outcome: 'warned',
    prepare: atGate,
    write: (site) => remove('UpdateStrategy', site),
    async after(site) {
      await mustWork(site, approveAtGeneration(1, site));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Succeeded']);
    },
  },
  {
    in: ['execution failures'],
    what: 'the strategy is edited so that its tasks cannot be run',
    rule: 'strategy-tasks-valid',
    outcome: 'refused',
    prepare: running,
    write: ({ scope, name }) =>
      apply(
        strategy(scope, name, [stage('canary', { afterStageTasks: [{ type: 'Approval' }, { type: 'Approval' }] })]),
      ),
  },
  {
    in: ['execution failures'],
    what: 'stages are written that one cluster can be in at once',
    rule: 'strategy-stages-disjoint',
    outcome: 'refused',
    write: ({ scope, name }) => apply(strategy(scope, name, [stage('canary'), stage('all', { labelSelector: {} })])),
  },
  {
    in: ['execution failures'],
    what: 'a cluster is labelled into another stage while a run goes on',
    rule: 'member-cluster-in-use',
    outcome: 'warned',
    async prepare(site) {
      const key = `tier-${site.name}`;
      await labelMembers(site, `eu-1 ${key}=a`, `eu-2 ${key}=b`, `us-1 ${key}=b`);
      const ring = (name: string, value: string, more = {}): object => ({
        name,
        labelSelector: { matchLabels: { [key]: value } },
        ...more,
      });
      await ground(site, [ring('first', 'a', { afterStageTasks: [{ type: 'Approval' }] }), ring('second', 'b')]);
      await mustWork(site, apply(runOf(site)));
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
    },
    write: ({ name }) => ({
      user: 'admin',
      args: ['label', 'memberclusters', 'eu-2', `tier-${name}=a`, '--overwrite'],
    }),
  },
  {
    in: ['guide', 'older guide', 'stuck runs'],
    what: 'a run is stuck, and a new one is created beside it',
    rule: 'run-placement-free',
    outcome: 'refused',
    prepare: stuck,
    write: (site) => apply(runOf(site, {}, `${site.name}-second`)),
    async after(site, { stderr }) {
      const { plural } = kindIn('UpdateRun', site.scope);
      expect(stderr).toContain(`kubectl delete ${plural} ${site.name}`);
      site.agent.heldBack.delete(site.name);
      await mustWork(site, setState(site, 'Stop'));
    },
  },
];

const it = useGuardedHub();
beforeAll(() => joinMembers(it().hub), 30_000);

test('every rule that is named here exists', () => {
  const ids = new Set([...catalogue.map(({ id }) => id), 'stamp-approval']);
  expect(failures.filter(({ rule }) => !ids.has(rule))).toEqual([]);
});

async function meet(failure: Failure, site: Site): Promise<void> {
  await failure.prepare?.(site);
  const ran = await send(site, failure.write(site));
  if (failure.outcome === 'refused') {
    expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(`[${failure.rule}]`)]);
  } else {
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining(`Warning: `)]);
    if (failure.outcome === 'warned') expect(ran.stderr).toContain(`[${failure.rule}]`);
  }
  await failure.after?.(site, ran);
}

describe('the troubleshooting documents', () => {
  const rows = failures.flatMap((failure, index) =>
    bothScopes.map(([where, scope]): [string, Failure, Omit<Site, 'hub' | 'agent'>] => [
      `${failure.what} ${where} (${failure.in.join(', ')}): ${failure.outcome} by ${failure.rule}`,
      failure,
      { scope, name: `case-${index}-${scope ?? 'hub'}` },
    ]),
  );
  let outcomes: readonly Promise<void>[] = [];
  beforeAll(() => {
    outcomes = pooled(
      rows.map(
        ([, failure, site]) =>
          () =>
            meet(failure, { ...it(), ...site }),
      ),
      6,
    );
  });

  test.each(rows.map(([name], index): [string, number] => [name, index]))(
    '%s',
    async (_name, index) => {
      await outcomes[index];
    },
    120_000,
  );
});
