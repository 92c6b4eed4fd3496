import rule from '../../../src/rules/run/run-snapshot-parts.js';
import {
  creation,
  overrideSnapshot,
  placement,
  resourceSnapshot,
  run,
  snapshotMaster,
  snapshotPart,
} from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const withIndex = (resourceSnapshotIndex: string) => run('release', { spec: { resourceSnapshotIndex } });
const master = (more: Readonly<Record<string, string>> = {}) =>
  snapshotMaster(1, { 'resource-hash': 'abc', 'number-of-resource-snapshots': '2', ...more });
const inTwoParts = [placement(), resourceSnapshot(0), master(), snapshotPart(1, 0)];
const override = overrideSnapshot();
const noted = (at: string) => master({ 'next-resource-snapshot-candidate-detection-time': at });

/** A group of two parts that is not marked as the latest. */
const inOlderParts = {
  annotations: {
    'kubernetes-fleet.io/resource-hash': 'abc',
    'kubernetes-fleet.io/number-of-resource-snapshots': '2',
  },
};

/** In cluster scope KubeFleet finds the parts. */
const inNamespace =
  (found: (scope: Scope) => readonly Expected[]) =>
  (scope: Scope): readonly Expected[] =>
    scope.namespace === undefined ? [] : found(scope);

const path = 'spec.resourceSnapshotIndex';
const otherWays =
  'Or place the resources with a ClusterResourcePlacement and a run of cluster scope, or remove all overrides of the hub.';
const failure =
  'resource snapshot "1" is in 2 parts, and there are overrides on this hub: KubeFleet then fails a run of it in a namespace, whatever they are for';
const outdated = ({ plural, flag }: Scope): string =>
  [
    `Select less with the placement, so that its snapshot has one part, mark this one as outdated (this may take a fleet admin), and send the run without resourceSnapshotIndex. ${otherWays}`,
    `kubectl annotate ${plural('ResourceSnapshot')} shop-1-snapshot${flag} kubernetes-fleet.io/resource-hash=unknown --overwrite`,
    `kubectl label ${plural('ResourceSnapshot')} shop-1-snapshot${flag} kubernetes-fleet.io/is-latest-snapshot=false --overwrite`,
  ].join('\n');

const fails = inNamespace((scope) => [{ path, message: failure, fix: outdated(scope) }]);
const mayFail = inNamespace(() => [{ path, message: failure, severity: 'warn' }]);
const wouldFail = inNamespace(() => [
  {
    path,
    message:
      'resource snapshot "1" is in 2 parts: in a namespace, a run of it fails if anyone creates a ClusterResourceOverride or ResourceOverride before it is initialized',
    severity: 'warn',
  },
]);

testRule(rule, {
  accepts: {
    'a snapshot in one part, beside one in two': { change: creation(withIndex('0')), fleet: [...inTwoParts, override] },
    'no index where the latest is in one part': {
      change: creation(run('release')),
      fleet: [placement(), resourceSnapshot(0), override],
    },
    'a first rollout': { change: creation(run('release')), fleet: [placement(), override] },
    'a snapshot that does not exist, which another rule tells': {
      change: creation(withIndex('7')),
      fleet: [...inTwoParts, override],
    },
  },
  rejects: {
    'a snapshot in two parts where there is an override': {
      change: creation(withIndex('1')),
      fleet: [...inTwoParts, override],
      findings: fails,
    },
    'no index where the latest is in two parts': {
      change: creation(run('release')),
      fleet: [...inTwoParts, override],
      findings: fails,
    },
    'a snapshot in two parts where the latest is in one': {
      change: creation(withIndex('1')),
      fleet: [...inTwoParts, override, resourceSnapshot(2)].map((draft) =>
        draft === inTwoParts[2] ? resourceSnapshot(1, { metadata: inOlderParts }) : draft,
      ),
      findings: inNamespace(() => [
        {
          path,
          message: failure,
          fix: `Send the run without resourceSnapshotIndex, or with that of a snapshot in one part. ${otherWays}`,
        },
      ]),
    },
    'a snapshot in two parts where there is no override yet': {
      change: creation(withIndex('1')),
      fleet: inTwoParts,
      findings: wouldFail,
    },
    'the same where only an old snapshot of an override is left': {
      change: creation(withIndex('1')),
      fleet: [...inTwoParts, overrideSnapshot(false)],
      findings: wouldFail,
    },
    'no index where a new snapshot is due': {
      change: creation(run('release')),
      fleet: [placement(), noted('2026-11-16T08:59:45Z'), snapshotPart(1, 0), override],
      findings: mayFail,
    },
    'no index where a new snapshot is not due yet': {
      change: creation(run('release')),
      fleet: [placement(), noted('2026-11-16T08:59:50Z'), snapshotPart(1, 0), override],
      findings: fails,
    },
    'no index where the last snapshot has been marked as outdated': {
      change: creation(run('release')),
      fleet: [placement(), resourceSnapshot(1, { metadata: inOlderParts }), snapshotPart(1, 0), override],
      findings: mayFail,
    },
    'a snapshot in two parts where nobody knows the overrides': {
      change: creation(withIndex('1')),
      fleet: inTwoParts,
      knowledge: 'partial',
      findings: inNamespace(cannotKnow(({ kind }) => `the ${kind('ResourceSnapshot')}s of placement "shop"`)),
    },
  },
});
