import rule from '../../../src/rules/run/run-snapshot-index.js';
import { creation, run, start, update } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';
import { rolloutLines } from './run-lines.js';

const path = 'spec.resourceSnapshotIndex';
const withIndex = (resourceSnapshotIndex: string) => run('release', { spec: { resourceSnapshotIndex } });

const notAnIndex =
  (message: string) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path,
      message,
      fix: [
        'Leave resourceSnapshotIndex out to roll out the latest resources, or take an index from this list.',
        `kubectl get ${plural('ResourceSnapshot')}${flag} -l kubernetes-fleet.io/parent-CRP=shop -L kubernetes-fleet.io/resource-index,kubernetes-fleet.io/is-latest-snapshot`,
      ].join('\n'),
    },
  ];

const notPlain = (written: string, plain: string): readonly Expected[] => [
  {
    path,
    message: `"${written}" finds no snapshot: KubeFleet compares the text, and writes this number as "${plain}"`,
    fix: `Write the index without a sign and without leading zeros.\nresourceSnapshotIndex: "${plain}"`,
  },
];

/** The API lets nobody change the index of a run that is stored. */
const anotherRun =
  (message: string, ...index: readonly string[]) =>
  (scope: Scope): readonly Expected[] => [
    {
      path,
      message,
      fix: [
        'The index of a stored run cannot be changed: create this run instead, and delete the stored one.',
        ...rolloutLines(scope, 'release-2', ...index, 'state: Run'),
        `# kubectl delete ${scope.plural('UpdateRun')} release${scope.flag}`,
      ].join('\n'),
    },
  ];

testRule(rule, {
  accepts: {
    'no index': { change: creation(run('release')) },
    'an empty index, which is none': { change: creation(withIndex('')) },
    'index 0': { change: creation(withIndex('0')) },
    'index 1': { change: creation(withIndex('1')) },
    'index 10, where the zero counts': { change: creation(withIndex('10')) },
    'the largest index': { change: creation(withIndex('9223372036854775807')) },
    'an index that is put right by an update': { change: update(withIndex('abc'), withIndex('1')) },
    'an update of a run that was stored with a bad index': {
      change: update(withIndex('abc'), { ...withIndex('abc'), json: { ...withIndex('abc').json, status: {} } }),
    },
  },
  rejects: {
    'a word that is set by an update': {
      change: update(withIndex('1'), withIndex('latest')),
      findings: notAnIndex('"latest" is not a whole number of 0 or more'),
    },
    'a word': {
      change: creation(withIndex('latest')),
      findings: notAnIndex('"latest" is not a whole number of 0 or more'),
    },
    'a negative number': {
      change: creation(withIndex('-1')),
      findings: notAnIndex('"-1" is not a whole number of 0 or more'),
    },
    'a fraction': {
      change: creation(withIndex('1.0')),
      findings: notAnIndex('"1.0" is not a whole number of 0 or more'),
    },
    'a number with a space': {
      change: creation(withIndex(' 1')),
      findings: notAnIndex('" 1" is not a whole number of 0 or more'),
    },
    'a number in another base': {
      change: creation(withIndex('0x1')),
      findings: notAnIndex('"0x1" is not a whole number of 0 or more'),
    },
    'digits of another script': {
      change: creation(withIndex('١')),
      findings: notAnIndex('"١" is not a whole number of 0 or more'),
    },
    'a number that Go cannot hold': {
      change: creation(withIndex('9223372036854775808')),
      findings: notAnIndex('"9223372036854775808" is more than KubeFleet can count'),
    },
    'a text that has no end': {
      change: creation(withIndex(`${'0'.repeat(100_000)}x`)),
      findings: notAnIndex(`"${'0'.repeat(40)}" is not a whole number of 0 or more`),
    },
    'a leading zero': { change: creation(withIndex('01')), findings: notPlain('01', '1') },
    'zero twice': { change: creation(withIndex('00')), findings: notPlain('00', '0') },
    'a plus sign': { change: creation(withIndex('+1')), findings: notPlain('+1', '1') },
    'minus zero': { change: creation(withIndex('-0')), findings: notPlain('-0', '0') },
    'a leading zero of a run that is stored with it, before it is initialized': {
      change: start(withIndex('01')),
      findings: anotherRun(
        '"01" finds no snapshot: KubeFleet compares the text, and writes this number as "1"',
        'resourceSnapshotIndex: "1"',
      ),
    },
    'a word of a run that is stored with it': {
      change: start(withIndex('latest')),
      findings: anotherRun('"latest" is not a whole number of 0 or more'),
    },
    'a bad index on a dry run too: no other object could put it right': {
      change: creation(withIndex('01'), { dryRun: true }),
      findings: notPlain('01', '1'),
    },
  },
});
