import rule from '../../../src/rules/run/run-snapshot-exists.js';
import { creation, placement, resourceSnapshot, run, start } from '../../support/builders.js';
import { cannotKnow, testRule } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const path = 'spec.resourceSnapshotIndex';
const withIndex = (resourceSnapshotIndex: string) => run('release', { spec: { resourceSnapshotIndex } });

/** A part of a group that is not its master. */
const part = (index: number) =>
  resourceSnapshot(index, {
    metadata: {
      name: `shop-${String(index)}-1`,
      annotations: { 'kubernetes-fleet.io/subindex-of-resource-snapshot': '1' },
    },
  });

const leaveOut =
  'Remove resourceSnapshotIndex from the run: it then makes a snapshot of the resources as they are now.';

const choose =
  (latest: string) =>
  ({ plural, flag }: Scope): string =>
    [
      'Name one that exists, or leave resourceSnapshotIndex out to roll out the latest resources.',
      `resourceSnapshotIndex: "${latest}"`,
      `kubectl get ${plural('ResourceSnapshot')}${flag} -l kubernetes-fleet.io/parent-CRP=shop -L kubernetes-fleet.io/resource-index,kubernetes-fleet.io/is-latest-snapshot`,
    ].join('\n');

testRule(rule, {
  accepts: {
    'a snapshot that exists': { change: creation(withIndex('1')), fleet: [placement(), resourceSnapshot(1)] },
    'a snapshot that is not the latest': {
      change: creation(withIndex('0')),
      fleet: [placement(), resourceSnapshot(0), resourceSnapshot(1)],
    },
    'a snapshot in several parts, one of them the master': {
      change: creation(withIndex('0')),
      fleet: [placement(), resourceSnapshot(0), part(0)],
    },
    'a first rollout that names no index': { change: creation(run('release')), fleet: [placement()] },
    'an empty index, which is none': { change: creation(withIndex('')), fleet: [placement()] },
    'the start of a run that is stored already': { change: start(withIndex('7')), fleet: [placement()] },
  },
  rejects: {
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
      fleet: [placement(), resourceSnapshot(0), part(1)],
      findings: (scope) => [
        {
          path,
          message:
            'resource snapshot "1" of placement "shop" is incomplete, none of its parts has annotation ' +
            'kubernetes-fleet.io/resource-hash; there is "0" (the latest)',
          fix: choose('0')(scope),
        },
      ],
    },
    'a master whose hash is empty': {
      change: creation(withIndex('0')),
      fleet: [
        placement(),
        resourceSnapshot(0, { metadata: { annotations: { 'kubernetes-fleet.io/resource-hash': '' } } }),
      ],
      findings: [
        {
          path,
          message:
            'resource snapshot "0" of placement "shop" is incomplete, none of its parts has annotation ' +
            'kubernetes-fleet.io/resource-hash; there is no other',
          fix: leaveOut,
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
