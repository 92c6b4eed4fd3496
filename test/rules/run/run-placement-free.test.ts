import rule from '../../../src/rules/run/run-placement-free.js';
import { condition, creation, run, start, update, type Draft } from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { waitLine } from './run-lines.js';

type Json = Readonly<Record<string, unknown>>;

const path = 'spec.placementName';
const initialized = condition('Initialized', 'True');
const stagesStatus = [
  {
    stageName: 'canary',
    clusters: [
      { clusterName: 'a', conditions: [condition('Succeeded', 'True')] },
      { clusterName: 'b', conditions: [condition('Started', 'True')] },
    ],
    conditions: [condition('Progressing', 'True')],
  },
];

/** Another run of the same placement, of snapshot 4, with these conditions. */
function other(conditions: readonly Json[], more: { spec?: Json; metadata?: Json } = {}): Draft {
  return run('earlier', {
    ...more,
    status: { conditions, stagesStatus, resourceSnapshotIndexUsed: '4' },
  });
}

const executing = other([initialized, condition('Progressing', 'True')]);
const stuck = other([initialized, condition('Progressing', 'False', 'UpdateRunStuck')]);
const waiting = other([initialized, condition('Progressing', 'False', 'UpdateRunWaiting')]);
const stopped = { spec: { state: 'Stop' } };
const release = run('release');
const prepared = run('release', { spec: { state: 'Initialize' } });

const patch = ({ plural, flag }: Scope, name: string, state: string) =>
  `kubectl patch ${plural('UpdateRun')} ${name}${flag} --type=merge -p '{"spec":{"state":"${state}"}}'`;

function waysOut(scope: Scope, operation: 'CREATE' | 'UPDATE', isPending: boolean): readonly string[] {
  const { plural, flag } = scope;
  return [
    `Wait for run "earlier", stop it or delete it (nothing is rolled back), then ${
      operation === 'CREATE' ? 'apply' : 'start'
    } this run again.`,
    waitLine(scope, 'earlier', { isPending }),
    `# or: ${patch(scope, 'earlier', 'Stop')}`,
    `# or: kubectl delete ${plural('UpdateRun')} earlier${flag}`,
    ...(operation === 'CREATE'
      ? [
          '# Or create this run with "state: Initialize" now, and start it when the other one has finished:',
          `# ${patch(scope, 'release', 'Run')}`,
        ]
      : [patch(scope, 'release', 'Run')]),
  ];
}

const taken =
  (standing: string, more: Partial<Expected> & { operation?: 'UPDATE'; theirs?: string; ours?: string } = {}) =>
  (scope: Scope): readonly Expected[] => {
    const { operation = 'CREATE', theirs = 'resource snapshot "4"', ours = 'the latest resources', ...rest } = more;
    return [
      {
        path,
        message: `placement "shop" is in use by run "earlier", which is ${standing}; it rolls out ${theirs}, this run ${ours}`,
        fix: waysOut(scope, operation, standing.startsWith('not initialized')).join('\n'),
        ...rest,
      },
    ];
  };

const underWay = 'rolling out in stage "canary", 1 of 2 clusters updated';
const sameIndex = (name: string, spec: Json = {}) => run(name, { spec: { resourceSnapshotIndex: '3', ...spec } });
const compatible = { concurrency: 'compatible' } as const;

testRule(rule, {
  accepts: {
    'the only run': { change: creation(release) },
    'a run beside one that has finished': {
      change: creation(release),
      fleet: [other([initialized, condition('Succeeded', 'True')])],
    },
    'a run beside one that has failed half-way': {
      change: creation(release),
      fleet: [other([initialized, condition('Succeeded', 'False')])],
    },
    'a run beside one that could not be initialized': {
      change: creation(release),
      fleet: [other([condition('Initialized', 'False')])],
    },
    'a run beside one that is being deleted': {
      change: creation(release),
      fleet: [other([initialized], { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } })],
    },
    'a run beside one that is stopped': {
      change: creation(release),
      fleet: [other([initialized, condition('Progressing', 'False', 'UpdateRunStopped')], stopped)],
    },
    'a run beside a stuck one that was told to stop': {
      change: creation(release),
      fleet: [other([initialized, condition('Progressing', 'False', 'UpdateRunStuck')], stopped)],
    },
    'a run beside one that is only initialized': {
      change: creation(release),
      fleet: [other([initialized], { spec: { state: 'Initialize' } })],
    },
    'a run beside an active one of another placement': {
      change: creation(release),
      fleet: [run('earlier', { spec: { placementName: 'shops' } })],
    },
    'a run in state Initialize': { change: creation(prepared), fleet: [executing] },
    'a run in state Stop': { change: creation(run('release', stopped)), fleet: [executing] },
    'the start of a run that is known as started already': { change: start(release), fleet: [release] },
    'the stop of a run': { change: update(release, run('release', stopped)), fleet: [release, executing] },
    'a label on an active run beside another': {
      change: update(release, run('release', { metadata: { labels: { team: 'a' } } })),
      fleet: [release, executing],
    },
    'any two runs where the operator has said so': {
      change: creation(release),
      fleet: [executing],
      policy: { concurrency: 'off' },
    },
    'two runs of one strategy and one index where compatible runs may overlap': {
      change: creation(sameIndex('release')),
      fleet: [sameIndex('earlier')],
      policy: compatible,
    },
  },
  rejects: {
    'a run beside one that is under way': {
      change: creation(release),
      fleet: [executing],
      findings: taken(underWay),
    },
    'a run beside one that KubeFleet has not looked at yet': {
      change: creation(sameIndex('release')),
      fleet: [run('earlier')],
      findings: taken('not initialized yet', {
        theirs: 'the latest resources',
        ours: 'resource snapshot "3"',
      }),
    },
    'a run beside one that waits at a gate': {
      change: creation(release),
      fleet: [waiting],
      findings: taken('waiting for an approval or a timed wait in stage "canary", 1 of 2 clusters updated'),
    },
    'a run beside one that was stopped and has just been resumed': {
      change: creation(release),
      fleet: [other([initialized, condition('Progressing', 'False', 'UpdateRunStopped')])],
      findings: taken(underWay),
    },
    'a run beside a stuck one, with the two commands that lead on': {
      change: creation(release),
      fleet: [stuck],
      findings: (scope) => [
        {
          path,
          message:
            'placement "shop" is in use by run "earlier", which is stuck in stage "canary", 1 of 2 clusters updated, waiting for "b"; ' +
            'it rolls out resource snapshot "4", this run the latest resources',
          fix: [
            'See which resource hangs in the status of the placement and fix that, so that run "earlier" goes on; or stop or delete the run (nothing is rolled back), then apply this run again.',
            `kubectl describe ${scope.plural('Placement')} shop${scope.flag}`,
            patch(scope, 'earlier', 'Stop'),
            `# or: kubectl delete ${scope.plural('UpdateRun')} earlier${scope.flag}`,
          ].join('\n'),
        },
      ],
    },
    'the start of a run beside one that is under way': {
      change: start(run('release', { status: { conditions: [initialized], resourceSnapshotIndexUsed: '5' } })),
      fleet: [executing],
      findings: taken(underWay, { operation: 'UPDATE', ours: 'resource snapshot "5"' }),
    },
    'a run whose name is not known yet, without a way that would need it': {
      change: creation(run('release-x7k2p', { metadata: { generateName: 'release-' } })),
      fleet: [executing],
      findings: (scope) => {
        const [found] = taken(underWay)(scope);
        const fix = waysOut(scope, 'CREATE', false).slice(0, 4).join('\n');
        return found === undefined ? [] : [{ ...found, fix }];
      },
    },
    'a new run that claims to have a status already': {
      change: creation(run('release', { status: { resourceSnapshotIndexUsed: '9' } })),
      fleet: [executing],
      findings: taken(underWay),
    },
    'a run beside an active one, softly on a dry run': {
      change: creation(release, { dryRun: true }),
      fleet: [executing],
      findings: taken(underWay, { severity: 'warn' }),
    },
    'two runs of one index by different strategies, even where compatible runs may overlap': {
      change: creation(sameIndex('release')),
      fleet: [sameIndex('earlier', { stagedRolloutStrategyName: 'waves' })],
      policy: compatible,
      findings: taken('not initialized yet', { theirs: 'resource snapshot "3"', ours: 'resource snapshot "3"' }),
    },
    'two runs without an index, even where compatible runs may overlap': {
      change: creation(release),
      fleet: [run('earlier')],
      policy: compatible,
      findings: taken('not initialized yet', { theirs: 'the latest resources' }),
    },
    'two runs of one index where nothing may overlap': {
      change: creation(sameIndex('release')),
      fleet: [sameIndex('earlier')],
      findings: taken('not initialized yet', { theirs: 'resource snapshot "3"', ours: 'resource snapshot "3"' }),
    },
    'runs that cannot be known': {
      change: creation(release),
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `the ${kind('UpdateRun')}s of placement "shop"`),
    },
  },
});
