import rule from '../../../src/rules/placement/placement-in-use.js';
import {
  condition,
  deletion,
  placement,
  placementName,
  resourceSnapshot,
  run,
  update,
  type ChangeDraft,
  type Draft,
} from '../../support/builders.js';
import { testRule, type Expected, type RejectedCase, type RuleCase } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { waitLine } from '../run/run-lines.js';

type Json = Readonly<Record<string, unknown>>;

const initialized = condition('Initialized', 'True');
const external = { type: 'External' };
const pickTwo = { placementType: 'PickN', numberOfClusters: 2 };
const secondsAgo = { creationTimestamp: '2026-11-16T08:59:50Z' };
const justUnderAMinuteAgo = { creationTimestamp: '2026-11-16T08:59:01Z' };
const justOverAMinuteAgo = { creationTimestamp: '2026-11-16T08:58:59Z' };
const hoursAgo = { creationTimestamp: '2026-11-16T06:00:00Z' };

function edit(before: Json, after: Json, more: Partial<ChangeDraft> = {}): ChangeDraft {
  return update(placement(placementName, { spec: before }), placement(placementName, { spec: after }), more);
}

const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'team', uid: 'u1' };
const ownedBy = (...ownerReferences: readonly object[]): Draft =>
  placement(placementName, { metadata: { ownerReferences } });

function halfWay(state = 'Run', more: { status?: Json; metadata?: Json; conditions?: readonly object[] } = {}): Draft {
  const updated = [condition('Started', 'True'), condition('Succeeded', 'True')];
  return run('release', {
    metadata: more.metadata ?? hoursAgo,
    spec: { state },
    status: {
      resourceSnapshotIndexUsed: '0',
      policyObservedClusterCount: 2,
      appliedStrategy: { type: 'ClientSideApply', comparisonOption: 'PartialComparison', whenToApply: 'Always' },
      stagesStatus: [
        {
          stageName: 'canary',
          conditions: [condition('Progressing', 'True')],
          clusters: [{ clusterName: 'a', conditions: updated }, { clusterName: 'b' }],
        },
      ],
      conditions: [initialized, ...(more.conditions ?? [])],
      ...more.status,
    },
  });
}

function preparedAs(name: string, snapshot?: string): Draft {
  return run(name, {
    spec: { state: 'Initialize' },
    status: {
      conditions: [initialized],
      policyObservedClusterCount: 2,
      appliedStrategy: { type: 'ClientSideApply' },
      ...(snapshot !== undefined && { resourceSnapshotIndexUsed: snapshot }),
    },
  });
}
const prepared = preparedAs('prepared');

const aborts = 'run "release" (rolling out in stage "canary", 1 of 2 clusters updated) would be aborted for good: ';

function wayOut(scope: Scope, phase: { readonly isPending?: boolean } = {}): string {
  const { plural, kind, flag } = scope;
  return [
    'Let the run finish, then make this change. Or give the run up: delete it (nothing is rolled back), then make this change.',
    waitLine(scope, 'release', phase),
    `# or: kubectl delete ${plural('UpdateRun')} release${flag}`,
    '# A new run can be created when the placement is scheduled again:',
    `# kubectl wait ${plural('Placement')} shop${flag} --for=condition=${kind('Placement')}Scheduled --timeout=60s`,
  ].join('\n');
}

function wayToDelete(scope: Scope, phase: { readonly isPending?: boolean } = {}): string {
  return [
    'Let the run finish, then delete the placement. Or give the run up: delete it (nothing is rolled back), then delete the placement.',
    waitLine(scope, 'release', phase),
    `# or: kubectl delete ${scope.plural('UpdateRun')} release${scope.flag}`,
  ].join('\n');
}

function giveUp(scope: Scope): string {
  return wayOut(scope).split('\n').slice(0, 3).join('\n');
}

const takenAlong = (who: string): string =>
  `${aborts}garbage collection would delete the placement as soon as its new owner ${who} is gone`;

const pushesOut = (snapshot: string, who: string, limit: number): Expected => ({
  path: 'spec.revisionHistoryLimit',
  severity: 'warn',
  message: `the next resource snapshot would push out snapshot "${snapshot}", and run ${who}, which rolls it out, would get stuck; a limit of ${String(limit)} keeps it`,
  fix: 'Lower the limit when the run has finished.',
});
const releaseHalfWay = '"release" (rolling out in stage "canary", 1 of 2 clusters updated)';
const notStarted = (name: string): string => `"${name}" (initialized but not started)`;

function later({ plural, flag }: Scope, name: string): string {
  return `Create a new run after this change, and delete this one.\nkubectl delete ${plural('UpdateRun')} ${name}${flag}`;
}

/** Edits that every run survives. */
const harmless: Readonly<Record<string, ChangeDraft>> = {
  'a new label': update(placement(), placement(placementName, { metadata: { labels: { team: 'a' } } })),
  'other resource selectors': edit(
    {},
    { resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'x' }] },
  ),
  'a longer history': edit({ revisionHistoryLimit: 2 }, { revisionHistoryLimit: 20 }),
  'a shorter history that still keeps the snapshot': edit({ revisionHistoryLimit: 10 }, { revisionHistoryLimit: 3 }),
  'a manifest that says nothing of the policy, which stays': edit({ policy: { placementType: 'PickAll' } }, {}),
  'the defaults of a policy, written out': edit(
    { policy: { tolerations: [{ key: 'gpu' }] } },
    { policy: { placementType: 'PickAll', tolerations: [{ key: 'gpu', operator: 'Equal' }], clusterNames: [] } },
  ),
  'a default of the applyStrategy, written out': edit(
    { strategy: external },
    { strategy: { ...external, applyStrategy: { type: 'ClientSideApply', whenToTakeOver: 'Always' } } },
  ),
  'an applyStrategy that is put back to what the run knows': edit(
    { strategy: { ...external, applyStrategy: { whenToApply: 'IfNotDrifted' } } },
    { strategy: external },
  ),
  'a number of clusters that is put back to what the run knows': edit(
    { policy: { ...pickTwo, numberOfClusters: 3 } },
    { policy: pickTwo },
  ),
  'a number of clusters where all are taken': edit(
    { policy: { placementType: 'PickAll' } },
    { policy: { placementType: 'PickAll', numberOfClusters: 3 } },
  ),
  'a type that was not External before': edit({ strategy: { type: 'RollingUpdate' } }, { strategy: {} }),
};

const widened = edit(
  { policy: { placementType: 'PickAll' } },
  { policy: { placementType: 'PickAll', tolerations: [{ key: 'gpu' }] } },
);
const snapshotsTo = (last: number): readonly Draft[] =>
  Array.from({ length: last + 1 }, (_, index) => resourceSnapshot(index));
const snapshots = snapshotsTo(1);
const shortened = edit({ revisionHistoryLimit: 10 }, { revisionHistoryLimit: 2 });

testRule(rule, {
  accepts: {
    ...Object.fromEntries(
      Object.entries(harmless).map(([name, change]): [string, RuleCase] => [
        `${name}, under a run`,
        { change, fleet: [halfWay(), prepared, ...snapshots] },
      ]),
    ),
    'another policy, with no run': { change: widened },
    'another policy, under a run of another placement': {
      change: widened,
      fleet: [run('release', { spec: { placementName: 'blog' }, status: { conditions: [initialized] } })],
    },
    'another policy, when the run has finished': {
      change: widened,
      fleet: [halfWay('Run', { conditions: [condition('Succeeded', 'True')] })],
    },
    'the deletion, when the run has failed': {
      change: deletion(placement()),
      fleet: [halfWay('Run', { conditions: [condition('Succeeded', 'False')] })],
    },
    'the deletion, when the run is going': {
      change: deletion(placement()),
      fleet: [halfWay('Run', { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } })],
    },
    'one more deletion of what is going already': {
      change: deletion(placement(placementName, { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } })),
      fleet: [halfWay()],
    },
    'another policy, under a run that has been waiting for hours to be initialized': {
      change: widened,
      fleet: [run('release', { metadata: hoursAgo })],
    },
    'another policy, under a run that has been waiting for more than a minute to be initialized': {
      change: widened,
      fleet: [run('release', { metadata: justOverAMinuteAgo })],
    },
    'another applyStrategy, under a run that starts': {
      change: edit({ strategy: external }, { strategy: { ...external, applyStrategy: { type: 'ServerSideApply' } } }),
      fleet: [run('release', { metadata: secondsAgo })],
    },
    'a shorter history, with no run': {
      change: edit({ revisionHistoryLimit: 10 }, { revisionHistoryLimit: 1 }),
      fleet: snapshots,
    },
    'a shorter history that pushes out no more than the longer one': {
      change: edit({ revisionHistoryLimit: 2 }, { revisionHistoryLimit: 1 }),
      fleet: [halfWay(), ...snapshots],
    },
    'an owner, with no run that is not over': {
      change: update(ownedBy(), ownedBy(owner)),
      fleet: [halfWay('Run', { conditions: [condition('Succeeded', 'True')] })],
    },
    'an owner that stays, with other flags and beside one that is taken away': {
      change: update(
        ownedBy(owner, { ...owner, uid: 'u2' }),
        placement(placementName, {
          metadata: {
            labels: { team: 'a' },
            ownerReferences: [{ ...owner, blockOwnerDeletion: true, controller: true }],
          },
        }),
      ),
      fleet: [halfWay(), prepared],
    },
    'owners that are all taken away': { change: update(ownedBy(owner), ownedBy()), fleet: [halfWay(), prepared] },
    'a harmless edit, where nobody knows the runs': {
      change: harmless['other resource selectors'] as ChangeDraft,
      knowledge: 'partial',
    },
  },
  rejects: {
    'the deletion under a run': {
      change: deletion(placement()),
      fleet: [halfWay()],
      findings: (scope) => [{ path: '', message: `${aborts}the placement would be gone`, fix: wayToDelete(scope) }],
    },
    'the deletion under a run that is stuck': {
      change: deletion(placement()),
      fleet: [halfWay('Run', { conditions: [condition('Progressing', 'False', 'UpdateRunStuck')] })],
      findings: (scope) => [
        {
          path: '',
          message:
            'run "release" (stuck in stage "canary", 1 of 2 clusters updated) would be aborted for good: the placement would be gone',
          fix: wayToDelete(scope),
        },
      ],
    },
    'an owner that takes the placement with it': {
      change: update(ownedBy(), ownedBy(owner)),
      fleet: [halfWay()],
      findings: (scope) => [
        { path: 'metadata.ownerReferences', message: takenAlong('Namespace "team"'), fix: giveUp(scope) },
      ],
    },
    ...Object.fromEntries(
      // Garbage collection takes an owner for gone when any of these differs from what is stored.
      Object.entries({ apiVersion: 'v2', kind: 'Node', name: 'other', uid: 'u2' }).map(
        ([field, value]): [string, RejectedCase] => {
          const now = { ...owner, [field]: value };
          return [
            `the ${field} of an owner that was there`,
            {
              change: update(ownedBy(owner), ownedBy(now)),
              fleet: [halfWay()],
              findings: (scope) => [
                {
                  path: 'metadata.ownerReferences',
                  message: takenAlong(`${now.kind} "${now.name}"`),
                  fix: giveUp(scope),
                },
              ],
            },
          ];
        },
      ),
    ),
    'an owner under a run that is not started': {
      change: update(ownedBy(), ownedBy(owner)),
      fleet: [prepared],
      findings: (scope) => [
        {
          path: 'metadata.ownerReferences',
          severity: 'warn',
          message: `run ${notStarted('prepared')} could not be started any more: garbage collection would delete the placement as soon as its new owner Namespace "team" is gone; create a new run afterwards`,
          fix: later(scope, 'prepared'),
        },
      ],
    },
    'another policy': {
      change: widened,
      fleet: [halfWay()],
      findings: (scope) => [
        { path: 'spec.policy', message: `${aborts}the policy of the placement would change`, fix: wayOut(scope) },
      ],
    },
    'the default policy, written out where there was none: another policy to KubeFleet': {
      change: edit({}, { policy: { placementType: 'PickAll' } }),
      fleet: [halfWay()],
      findings: (scope) => [
        {
          path: 'spec.policy',
          message: `${aborts}the placement would get a policy (even one that only writes out the default counts as a change)`,
          fix: wayOut(scope),
        },
      ],
    },
    'other clusters of a fixed list': {
      change: edit(
        { policy: { placementType: 'PickFixed', clusterNames: ['a', 'b'] } },
        { policy: { placementType: 'PickFixed', clusterNames: ['a'] } },
      ),
      fleet: [halfWay()],
      findings: (scope) => [
        { path: 'spec.policy', message: `${aborts}the policy of the placement would change`, fix: wayOut(scope) },
      ],
    },
    'another number of clusters': {
      change: edit({ policy: pickTwo }, { policy: { ...pickTwo, numberOfClusters: 1 } }),
      fleet: [halfWay()],
      findings: (scope) => [
        {
          path: 'spec.policy.numberOfClusters',
          message: `${aborts}the placement would ask for 1 cluster instead of 2`,
          fix: wayOut(scope),
        },
      ],
    },
    'another applyStrategy': {
      change: edit({ strategy: external }, { strategy: { ...external, applyStrategy: { type: 'ServerSideApply' } } }),
      fleet: [halfWay()],
      findings: (scope) => [
        {
          path: 'spec.strategy.applyStrategy',
          message: `${aborts}the applyStrategy of the placement would change`,
          fix: wayOut(scope),
        },
      ],
    },
    'a strategy that is taken away': {
      change: edit(
        { strategy: { ...external, applyStrategy: { whenToApply: 'IfNotDrifted' } } },
        { strategy: undefined },
      ),
      fleet: [halfWay()],
      findings: (scope) => [
        {
          path: 'spec.strategy.type',
          message: `${aborts}the strategy type of the placement would be RollingUpdate, not External`,
          fix: wayOut(scope),
        },
      ],
    },
    'several things at once': {
      change: edit(
        { policy: pickTwo, strategy: external },
        {
          policy: { ...pickTwo, numberOfClusters: 5, tolerations: [{ key: 'gpu' }] },
          strategy: { ...external, applyStrategy: { allowCoOwnership: true } },
        },
      ),
      fleet: [halfWay()],
      findings: (scope) => [
        {
          path: 'spec.policy',
          message: `${aborts}the policy of the placement would change, and the placement would ask for 5 clusters instead of 2, and the applyStrategy of the placement would change`,
          fix: wayOut(scope),
        },
      ],
    },
    'another policy under a run that starts': {
      change: widened,
      fleet: [run('release', { metadata: secondsAgo })],
      findings: (scope) => [
        {
          path: 'spec.policy',
          message:
            'run "release" (not initialized yet) would be aborted for good: the policy of the placement would change',
          fix: wayOut(scope, { isPending: true }),
        },
      ],
    },
    'another policy under a run that has been waiting for less than a minute to be initialized': {
      change: widened,
      fleet: [run('release', { metadata: justUnderAMinuteAgo })],
      findings: (scope) => [
        {
          path: 'spec.policy',
          message:
            'run "release" (not initialized yet) would be aborted for good: the policy of the placement would change',
          fix: wayOut(scope, { isPending: true }),
        },
      ],
    },
    'the deletion under a run that has been waiting for hours to be initialized': {
      change: deletion(placement()),
      fleet: [run('release', { metadata: hoursAgo })],
      findings: (scope) => [
        {
          path: '',
          message: 'run "release" (not initialized yet) would be aborted for good: the placement would be gone',
          fix: wayToDelete(scope, { isPending: true }),
        },
      ],
    },
    'a strategy that is taken away under a run that has been waiting for hours to be initialized': {
      change: edit({ strategy: external }, { strategy: undefined }),
      fleet: [run('release', { metadata: hoursAgo })],
      findings: (scope) => [
        {
          path: 'spec.strategy.type',
          message:
            'run "release" (not initialized yet) would be aborted for good: the strategy type of the placement would be RollingUpdate, not External',
          fix: wayOut(scope, { isPending: true }),
        },
      ],
    },
    'another policy, softly, under a run that is still stopping, and would be aborted at once': {
      change: widened,
      fleet: [halfWay('Stop', { conditions: [condition('Progressing', 'Unknown', 'UpdateRunStopping')] })],
      findings: (scope) => [
        {
          path: 'spec.policy',
          severity: 'warn',
          message:
            'run "release" (stopping in stage "canary", 1 of 2 clusters updated) would be aborted for good: the policy of the placement would change; create a new run afterwards',
          fix: later(scope, 'release'),
        },
      ],
    },
    'the deletion, softly, under a run that is stuck on its way to a stop': {
      change: deletion(placement()),
      fleet: [halfWay('Stop', { conditions: [condition('Progressing', 'False', 'UpdateRunStuck')] })],
      findings: (scope) => [
        {
          path: '',
          severity: 'warn',
          message:
            'run "release" (stuck in stage "canary", 1 of 2 clusters updated) would be aborted for good: the placement would be gone; create a new run afterwards',
          fix: later(scope, 'release'),
        },
      ],
    },
    'another policy, softly, under runs that are prepared or stopped': {
      change: widened,
      fleet: [halfWay('Stop', { conditions: [condition('Progressing', 'False', 'UpdateRunStopped')] }), prepared],
      findings: (scope) => [
        {
          path: 'spec.policy',
          severity: 'warn',
          message:
            'run "prepared" (initialized but not started) could not be started any more: the policy of the placement would change; create a new run afterwards',
          fix: later(scope, 'prepared'),
        },
        {
          path: 'spec.policy',
          severity: 'warn',
          message:
            'run "release" (stopped in stage "canary", 1 of 2 clusters updated) could not be started any more: the policy of the placement would change; create a new run afterwards',
          fix: later(scope, 'release'),
        },
      ],
    },
    'another policy under the one active run among many that are prepared': {
      change: widened,
      fleet: [
        ...['a', 'b', 'c', 'd', 'e'].map((name) =>
          run(name, { spec: { state: 'Initialize' }, status: { conditions: [initialized] } }),
        ),
        halfWay(),
      ],
      findings: (scope) => [
        { path: 'spec.policy', message: `${aborts}the policy of the placement would change`, fix: wayOut(scope) },
        ...['a', 'b', 'c', 'd'].map((name) => ({
          path: 'spec.policy',
          severity: 'warn' as const,
          message: `run "${name}" (initialized but not started) could not be started any more: the policy of the placement would change; create a new run afterwards`,
          fix: later(scope, name),
        })),
      ],
    },
    'softly, a history so short that the next snapshot pushes out the one in use': {
      change: shortened,
      fleet: [halfWay(), ...snapshots],
      findings: [pushesOut('0', releaseHalfWay, 3)],
    },
    'softly, a history of one': {
      change: edit({}, { revisionHistoryLimit: 1 }),
      fleet: [halfWay('Run', { status: { resourceSnapshotIndexUsed: '1' } }), ...snapshots],
      findings: [pushesOut('1', releaseHalfWay, 2)],
    },
    'softly, a history that is shorter than by default': {
      change: edit({}, { revisionHistoryLimit: 6 }),
      fleet: [halfWay(), ...snapshotsTo(6)],
      findings: [pushesOut('0', releaseHalfWay, 8)],
    },
    'softly, a short history by snapshots that are counted as numbers': {
      change: shortened,
      fleet: [halfWay('Run', { status: { resourceSnapshotIndexUsed: '9' } }), ...snapshotsTo(10)],
      findings: [pushesOut('9', releaseHalfWay, 3)],
    },
    'softly, a short history under an active and a prepared run behind many that lose nothing': {
      change: shortened,
      fleet: [
        ...['a', 'b', 'c', 'd', 'e'].map((name) => preparedAs(name, '4')),
        preparedAs('next', '0'),
        halfWay(),
        ...snapshotsTo(4),
      ],
      findings: [pushesOut('0', notStarted('next'), 6), pushesOut('0', releaseHalfWay, 6)],
    },
    'softly, a short history under more runs than one can read of, the active one among them': {
      change: shortened,
      fleet: [...['a', 'b', 'c', 'd', 'e'].map((name) => preparedAs(name, '0')), halfWay(), ...snapshotsTo(4)],
      findings: [
        ...['a', 'b', 'c', 'd'].map((name) => pushesOut('0', notStarted(name), 6)),
        pushesOut('0', releaseHalfWay, 6),
      ],
    },
    'a harmful edit, where nobody knows the runs': {
      change: widened,
      knowledge: 'partial',
      findings: ({ kind }) => [
        {
          path: '',
          outcome: 'undetermined',
          message: `could not be checked: cannot know the ${kind('UpdateRun')}s of placement "shop"`,
          fix: 'Send the same again in a few seconds.',
          retry: true,
        },
      ],
    },
    'softly, the deletion on a dry run': {
      change: deletion(placement(), { dryRun: true }),
      fleet: [halfWay()],
      findings: (scope) => [
        { path: '', severity: 'warn', message: `${aborts}the placement would be gone`, fix: wayToDelete(scope) },
      ],
    },
  },
});
