import rule from '../../../src/rules/run/run-snapshot-exists.js';
import {
  condition,
  creation,
  lateStart,
  placement,
  resourceSnapshot,
  run,
  snapshotMaster,
  snapshotPart,
  start,
  update,
  type Draft,
} from '../../support/builders.js';
import { cannotKnow, testRule, type RejectedCase } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { rolloutLines } from './run-lines.js';

const path = 'spec.resourceSnapshotIndex';
const withIndex = (resourceSnapshotIndex: string) => run('release', { spec: { resourceSnapshotIndex } });

const initialized = (draft: Draft<'UpdateRun'>): Draft<'UpdateRun'> => ({
  ...draft,
  json: { ...draft.json, status: { conditions: [condition('Initialized', 'True')] } },
});

const hash = { 'resource-hash': 'abc' };
const parts = (count: string) => ({ 'number-of-resource-snapshots': count });
const key = (name: string): string => `kubernetes-fleet.io/${name}`;

const leaveOut =
  'Remove resourceSnapshotIndex from the run: it then makes a snapshot of the resources as they are now.';

const exists = 'Name one that exists, or leave resourceSnapshotIndex out to roll out the latest resources.';
const isWhole = 'Name one that is whole.';

interface NewRun {
  readonly index?: string;
  readonly marks?: readonly string[];
}

const newRun = (scope: Scope, name: string, { index, marks = [] }: NewRun = {}): string =>
  [
    'The index of a stored run cannot be changed: create this run instead, and delete the stored one.',
    ...marks,
    ...rolloutLines(scope, name, ...(index === undefined ? [] : [`resourceSnapshotIndex: "${index}"`]), 'state: Run'),
    `# kubectl delete ${scope.plural('UpdateRun')} release${scope.flag}`,
  ].join('\n');

const choose =
  (latest: string, sentence = exists) =>
  ({ plural, flag }: Scope): string =>
    [
      sentence,
      `resourceSnapshotIndex: "${latest}"`,
      `kubectl get ${plural('ResourceSnapshot')}${flag} -l kubernetes-fleet.io/parent-CRP=shop -L kubernetes-fleet.io/resource-index,kubernetes-fleet.io/is-latest-snapshot`,
    ].join('\n');

const putBack =
  (...marks: readonly string[]) =>
  ({ plural, flag }: Scope): string =>
    [
      'Put back what the snapshot has lost (this may take a fleet admin; any text will do for a hash), then try again.',
      `kubectl annotate ${plural('ResourceSnapshot')} shop-1-snapshot${flag} ${marks.map(key).join(' ')} --overwrite`,
    ].join('\n');

/** Makes a snapshot readable, and one that is outdated. */
const outdate = (name: string, ...marks: readonly string[]) => ({
  commands: ({ plural, flag }: Scope): readonly string[] => [
    `kubectl annotate ${plural('ResourceSnapshot')} ${name}${flag} ${marks.map(key).join(' ')} --overwrite`,
    `kubectl label ${plural('ResourceSnapshot')} ${name}${flag} ${key('is-latest-snapshot=false')} --overwrite`,
  ],
  thenApply(scope: Scope): string {
    const sentence = `Mark snapshot "${name}" as outdated (this may take a fleet admin), then try again: it then makes a new one.`;
    return [sentence, ...this.commands(scope)].join('\n');
  },
  thenLeaveOut(scope: Scope): string {
    const sentence = `Mark snapshot "${name}" as outdated (this may take a fleet admin), and remove resourceSnapshotIndex from the run: it then makes a new one.`;
    return [sentence, ...this.commands(scope)].join('\n');
  },
});

testRule(rule, {
  accepts: {
    'a snapshot that exists': { change: creation(withIndex('1')), fleet: [placement(), resourceSnapshot(1)] },
    'a snapshot that is not the latest': {
      change: creation(withIndex('0')),
      fleet: [placement(), resourceSnapshot(0), resourceSnapshot(1)],
    },
    'a snapshot in three parts that are all there': {
      change: creation(withIndex('1')),
      fleet: [placement(), snapshotMaster(1, { ...hash, ...parts('3') }), snapshotPart(1, 0), snapshotPart(1, 1)],
    },
    'a snapshot of one part, for which nobody counts': {
      change: creation(withIndex('0')),
      fleet: [placement(), resourceSnapshot(0), snapshotPart(0, 0)],
    },
    'no index where the latest is in three parts that are all there': {
      change: creation(run('release')),
      fleet: [placement(), snapshotMaster(1, { ...hash, ...parts('3') }), snapshotPart(1, 0), snapshotPart(1, 1)],
    },
    'no index where an older snapshot has lost what it needs': {
      change: creation(run('release')),
      fleet: [placement(), snapshotMaster(2, { ...hash, ...parts('1') }), snapshotPart(1, 0)],
    },
    'no index where none is marked as the latest and the last can be read': {
      change: creation(run('release')),
      fleet: [placement(), resourceSnapshot(9), resourceSnapshot(10)],
    },
    'a first rollout that names no index': { change: creation(run('release')), fleet: [placement()] },
    'an empty index, which is none': { change: creation(withIndex('')), fleet: [placement()] },
    'an index that is set to one that exists': {
      change: update(withIndex('7'), withIndex('0')),
      fleet: [placement(), resourceSnapshot(0)],
    },
    'an index that is removed': { change: update(withIndex('7'), run('release')), fleet: [placement()] },
    'a missing index that stays as it was, while something else changes': {
      change: update(withIndex('7'), run('release', { spec: { resourceSnapshotIndex: '7', state: 'Stop' } })),
      fleet: [placement()],
    },
    'an index that is set when the run has taken its snapshot': {
      change: update(initialized(withIndex('0')), initialized(withIndex('7'))),
      fleet: [placement()],
    },
    'the start of a run that is stored already': { change: lateStart(withIndex('7')), fleet: [placement()] },
  },
  rejects: {
    ...Object.fromEntries(
      [run('release'), withIndex(''), withIndex('0')].map((before): [string, RejectedCase] => [
        `an index that is set by an update of ${JSON.stringify(before.json['spec'])}`,
        {
          change: update(before, withIndex('7')),
          fleet: [placement(), resourceSnapshot(0)],
          findings: (scope) => [
            {
              path,
              message: 'placement "shop" has no resource snapshot "7"; there is "0" (the latest)',
              fix: choose('0')(scope),
            },
          ],
        },
      ]),
    ),
    'an index on the first rollout': {
      change: creation(withIndex('0')),
      fleet: [placement()],
      findings: [
        {
          path,
          message: 'placement "shop" has no resource snapshot "0"; it has none before its first run',
          fix: leaveOut,
        },
      ],
    },
    'an index that does not exist, with those that do in the order of their numbers': {
      change: creation(withIndex('7')),
      fleet: [placement(), ...[2, 10, 9].map((index) => resourceSnapshot(index))],
      findings: (scope) => [
        {
          path,
          message: 'placement "shop" has no resource snapshot "7"; there is "10" (the latest), "9" and "2"',
          fix: choose('10')(scope),
        },
      ],
    },
    'an index where there is one other': {
      change: creation(withIndex('1')),
      fleet: [placement(), resourceSnapshot(0)],
      findings: (scope) => [
        {
          path,
          message: 'placement "shop" has no resource snapshot "1"; there is "0" (the latest)',
          fix: choose('0')(scope),
        },
      ],
    },
    'an index where there are more than one would read': {
      change: creation(withIndex('99')),
      fleet: [placement(), ...Array.from({ length: 12 }, (_, index) => resourceSnapshot(index))],
      findings: (scope) => [
        {
          path,
          message:
            'placement "shop" has no resource snapshot "99"; there is "11" (the latest), ' +
            '"10", "9", "8", "7", "6", "5", "4", "3", "2" and 2 more',
          fix: choose('11')(scope),
        },
      ],
    },
    'the start of a run that is stored with the index, with a new run': {
      change: start(withIndex('7')),
      fleet: [placement(), resourceSnapshot(2), run('release-2')],
      findings: (scope) => [
        {
          path,
          message: 'placement "shop" has no resource snapshot "7"; there is "2" (the latest)',
          fix: newRun(scope, 'release-3', { index: '2' }),
        },
      ],
    },
    'the same where there is no snapshot at all': {
      change: start(withIndex('7')),
      fleet: [placement()],
      findings: (scope) => [
        {
          path,
          message: 'placement "shop" has no resource snapshot "7"; it has none before its first run',
          fix: newRun(scope, 'release-2'),
        },
      ],
    },
    'the same where the latest is broken and the only one': {
      change: start(withIndex('1')),
      fleet: [placement(), snapshotMaster(1, { ...hash, ...parts('2') })],
      findings: (scope) => [
        {
          path,
          message:
            'resource snapshot "1" of placement "shop" is not whole, 1 of its 2 parts is there; there is no other',
          fix: newRun(scope, 'release-2', {
            marks: [
              '# First mark the broken snapshot as outdated (this may take a fleet admin):',
              `kubectl annotate ${scope.plural('ResourceSnapshot')} shop-1-snapshot${scope.flag} kubernetes-fleet.io/resource-hash=unknown --overwrite`,
              `kubectl label ${scope.plural('ResourceSnapshot')} shop-1-snapshot${scope.flag} kubernetes-fleet.io/is-latest-snapshot=false --overwrite`,
            ],
          }),
        },
      ],
    },
    'a snapshot of another placement': {
      change: creation(withIndex('0')),
      fleet: [placement(), resourceSnapshot(0, { of: 'store' })],
      findings: [
        {
          path,
          message: 'placement "shop" has no resource snapshot "0"; it has none before its first run',
          fix: leaveOut,
        },
      ],
    },
    'a group that has lost its master': {
      change: creation(withIndex('1')),
      fleet: [placement(), resourceSnapshot(0), snapshotPart(1, 0)],
      findings: (scope) => [
        {
          path,
          message: 'resource snapshot "1" of placement "shop" has lost its first part, "shop-1-snapshot"; there is "0"',
          fix: choose('0', isWhole)(scope),
        },
      ],
    },
    'a group that has lost its master, the only one': {
      change: creation(withIndex('1')),
      fleet: [placement(), snapshotPart(1, 0)],
      findings: (scope) => [
        {
          path,
          message:
            'resource snapshot "1" of placement "shop" has lost its first part, "shop-1-snapshot"; there is no other',
          fix: outdate('shop-1-0', 'resource-hash=unknown', 'number-of-resource-snapshots=1').thenLeaveOut(scope),
        },
      ],
    },
    'a group that has lost a part': {
      change: creation(withIndex('1')),
      fleet: [placement(), resourceSnapshot(0), snapshotMaster(1, { ...hash, ...parts('3') }), snapshotPart(1, 1)],
      findings: (scope) => [
        {
          path,
          message: 'resource snapshot "1" of placement "shop" is not whole, 2 of its 3 parts are there; there is "0"',
          fix: choose('0', isWhole)(scope),
        },
      ],
    },
    'a group that has more parts than it counts': {
      change: creation(withIndex('1')),
      fleet: [
        placement(),
        resourceSnapshot(0),
        snapshotMaster(1, { ...hash, ...parts('2') }),
        snapshotPart(1, 0),
        snapshotPart(1, 1),
      ],
      findings: (scope) => [
        {
          path,
          message: 'resource snapshot "1" of placement "shop" has 3 parts, and its first part counts 2; there is "0"',
          fix: choose('0', isWhole)(scope),
        },
      ],
    },
    'a group that has lost a part, the only one': {
      change: creation(withIndex('1')),
      fleet: [placement(), snapshotMaster(1, { ...hash, ...parts('2') })],
      findings: (scope) => [
        {
          path,
          message:
            'resource snapshot "1" of placement "shop" is not whole, 1 of its 2 parts is there; there is no other',
          fix: outdate('shop-1-snapshot', 'resource-hash=unknown').thenLeaveOut(scope),
        },
      ],
    },
    'a master without a hash: to leave the index out would not help': {
      change: creation(withIndex('1')),
      fleet: [placement(), resourceSnapshot(0), snapshotMaster(1, parts('1'))],
      findings: (scope) => [
        {
          path,
          message:
            'resource snapshot "1" of placement "shop" cannot be read, "shop-1-snapshot" has no usable ' +
            'kubernetes-fleet.io/resource-hash; there is "0"',
          fix: putBack('resource-hash=unknown')(scope),
        },
      ],
    },
    'a master whose hash is empty': {
      change: creation(withIndex('1')),
      fleet: [placement(), snapshotMaster(1, { 'resource-hash': '', ...parts('1') })],
      findings: (scope) => [
        {
          path,
          message:
            'resource snapshot "1" of placement "shop" cannot be read, "shop-1-snapshot" has no usable ' +
            'kubernetes-fleet.io/resource-hash; there is no other',
          fix: putBack('resource-hash=unknown')(scope),
        },
      ],
    },
    'a master whose count is none': {
      change: creation(withIndex('1')),
      fleet: [placement(), snapshotMaster(1, { ...hash, ...parts('0') }), snapshotPart(1, 0)],
      findings: (scope) => [
        {
          path,
          message:
            'resource snapshot "1" of placement "shop" cannot be read, "shop-1-snapshot" has no usable ' +
            'kubernetes-fleet.io/number-of-resource-snapshots; there is no other',
          fix: putBack('number-of-resource-snapshots=2')(scope),
        },
      ],
    },
    'no index where the last snapshot has lost its master': {
      change: creation(run('release')),
      fleet: [placement(), resourceSnapshot(0), snapshotPart(1, 0)],
      findings: (scope) => [
        {
          path,
          message:
            'the latest resource snapshot of placement "shop" cannot be read: "shop-1-0" has no usable ' +
            'kubernetes-fleet.io/resource-hash and kubernetes-fleet.io/number-of-resource-snapshots',
          fix: outdate('shop-1-0', 'resource-hash=unknown', 'number-of-resource-snapshots=1').thenApply(scope),
        },
      ],
    },
    'no index where the latest has no hash': {
      change: creation(run('release')),
      fleet: [placement(), resourceSnapshot(0), snapshotMaster(1, parts('1'))],
      findings: (scope) => [
        {
          path,
          message:
            'the latest resource snapshot of placement "shop" cannot be read: "shop-1-snapshot" has no usable ' +
            'kubernetes-fleet.io/resource-hash',
          fix: outdate('shop-1-snapshot', 'resource-hash=unknown').thenApply(scope),
        },
      ],
    },
    'no index where the latest has no count': {
      change: creation(run('release')),
      fleet: [placement(), snapshotMaster(1, hash)],
      findings: (scope) => [
        {
          path,
          message:
            'the latest resource snapshot of placement "shop" cannot be read: "shop-1-snapshot" has no usable ' +
            'kubernetes-fleet.io/number-of-resource-snapshots',
          fix: outdate('shop-1-snapshot', 'number-of-resource-snapshots=1', 'resource-hash=unknown').thenApply(scope),
        },
      ],
    },
    'no index where the latest has no number for an index': {
      change: creation(run('release')),
      fleet: [
        placement(),
        resourceSnapshot(3, {
          metadata: { labels: { 'kubernetes-fleet.io/parent-CRP': 'shop', 'kubernetes-fleet.io/resource-index': 'x' } },
        }),
      ],
      findings: ({ plural, flag }) => [
        {
          path,
          message:
            'the latest resource snapshot of placement "shop" cannot be read: "shop-3-snapshot" has no usable ' +
            'kubernetes-fleet.io/resource-index',
          fix: [
            'Mark snapshot "shop-3-snapshot" as outdated (this may take a fleet admin), then try again: it then makes a new one.',
            `kubectl annotate ${plural('ResourceSnapshot')} shop-3-snapshot${flag} kubernetes-fleet.io/resource-hash=unknown --overwrite`,
            `kubectl label ${plural('ResourceSnapshot')} shop-3-snapshot${flag} kubernetes-fleet.io/resource-index=3 kubernetes-fleet.io/is-latest-snapshot=false --overwrite`,
          ].join('\n'),
        },
      ],
    },
    'no index where the latest has lost a part, softly, since KubeFleet may add it': {
      change: creation(run('release')),
      fleet: [placement(), snapshotMaster(1, { ...hash, ...parts('3') })],
      findings: (scope) => [
        {
          path,
          severity: 'warn',
          message:
            'no index is set, and the latest resource snapshot "1" is not whole, 1 of its 3 parts is there: ' +
            'a run that takes it gets stuck',
          fix: outdate('shop-1-snapshot', 'resource-hash=unknown').thenApply(scope),
        },
      ],
    },
    'on a dry run only softly, since the snapshot may be on its way': {
      change: creation(withIndex('0'), { dryRun: true }),
      fleet: [placement()],
      findings: [
        {
          path,
          severity: 'warn',
          message: 'placement "shop" has no resource snapshot "0"; it has none before its first run',
          fix: leaveOut,
        },
      ],
    },
    'snapshots that cannot be known': {
      change: creation(withIndex('0')),
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `the ${kind('ResourceSnapshot')}s of placement "shop"`),
    },
  },
});
