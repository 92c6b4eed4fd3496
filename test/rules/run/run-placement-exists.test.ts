import { expect, test } from '@jest/globals';
import rule from '../../../src/rules/run/run-placement-exists.js';
import { creation, placement, run, start, update } from '../../support/builders.js';
import { cannotKnow, testRule } from '../../support/rule-tester.js';
import { findingsAcross, notThere, testTellsOfClusterScope } from './not-there.js';

const path = 'spec.placementName';
const release = run('release');
const dying = placement('shop', { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } });

const missing = (severity?: 'warn', nearest?: string) =>
  notThere('Placement', { name: 'shop', path, severity, nearest });

testRule(rule, {
  accepts: {
    'a run of a placement that exists': { change: creation(release), fleet: [placement()] },
    'the start of a run whose placement exists': { change: start(release), fleet: [placement()] },
    'the stop of a run whose placement is gone': {
      change: update(release, run('release', { spec: { state: 'Stop' } })),
    },
    'a label on a run whose placement is gone': {
      change: update(release, run('release', { metadata: { labels: { team: 'a' } } })),
    },
  },
  rejects: {
    'a run of a placement that does not exist': { change: creation(release), findings: missing() },
    'a run that is only initialized, which KubeFleet fails as well': {
      change: creation(run('release', { spec: { state: 'Initialize' } })),
      findings: missing(),
    },
    'a placement whose name only begins alike': {
      change: creation(release),
      fleet: [placement('shops')],
      findings: missing(undefined, 'shops'),
    },
    'the start of a run whose placement is gone': { change: start(release), findings: missing() },
    'on a dry run only softly, since the placement may be on its way': {
      change: creation(release, { dryRun: true }),
      findings: missing('warn'),
    },
    'a placement that is being deleted': {
      change: creation(release),
      fleet: [dying],
      findings: ({ kind, plural, flag }) => [
        {
          path,
          message: `${kind('Placement')} "shop" is being deleted, and a run of it fails half-way`,
          fix: [
            'Wait until it is gone, create it again, then try again.',
            `kubectl wait ${plural('Placement')} shop${flag} --for=delete --timeout=5m`,
          ].join('\n'),
        },
      ],
    },
    'a run that names what no placement can be called, which needs no hub to be known': {
      change: creation(run('release', { spec: { placementName: '$SHOP' } })),
      knowledge: 'partial',
      findings: ({ kind, plural, flag }) => [
        {
          path,
          message: `"\\u0024SHOP" is no name that a ${kind('Placement')} can have; a variable is to be filled in first`,
          fix: `Name one of these.\nkubectl get ${plural('Placement')}${flag}`,
        },
      ],
    },
    'a run that names no placement': {
      change: creation(run('release', { spec: { placementName: '' } })),
      fleet: [placement()],
      knowledge: 'partial',
      findings: ({ kind, plural, flag }) => [
        {
          path,
          message: `is empty, but must name a ${kind('Placement')}`,
          fix: `Name one of these.\nkubectl get ${plural('Placement')}${flag}`,
        },
      ],
    },
    'a placement that cannot be known': {
      change: creation(release),
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `${kind('Placement')} "shop"`),
    },
  },
});

testTellsOfClusterScope(rule, placement(), { kind: 'Placement', name: 'shop' });

test('a run of cluster scope does not find the placement of a namespace', () => {
  const findings = findingsAcross(rule, placement(), { run: 'cluster' });
  expect(findings.map(({ message }) => message)).toEqual(['ClusterResourcePlacement "shop" does not exist']);
});
