import { expect, test } from '@jest/globals';
import { evaluate } from '../../../src/engine/evaluate.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import rule from '../../../src/rules/run/run-placement-exists.js';
import { creation, placement, run, start, update } from '../../support/builders.js';
import { unlistedFixes } from '../../support/printed-fixes.js';
import { cannotKnow, testNow, testRule } from '../../support/rule-tester.js';
import { notThere } from './not-there.js';
import { changeIn, fleetIn, scopes, type Scope } from '../../support/scopes.js';

const path = 'spec.placementName';
const release = run('release');
const dying = placement('shop', { metadata: { deletionTimestamp: '2026-11-16T08:59:00Z' } });

const missing = (severity?: 'warn') => notThere('Placement', { name: 'shop', path, severity });

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
      findings: missing(),
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

test('a run of a namespace is told of the placement of cluster scope that it cannot use', () => {
  const [clusterScope, teamA] = scopes as [Scope, Scope];
  const { findings } = evaluate(changeIn(teamA, creation(release)), {
    rules: [rule],
    fleet: fleetIn(clusterScope, [placement()]),
    policy: defaultPolicy,
    now: testNow,
  });
  expect(
    unlistedFixes(
      rule.id,
      findings.map(({ fix }) => fix),
    ),
  ).toEqual([]);
  expect(findings.map(({ message, fix }) => [message, fix])).toEqual([
    [
      'ResourcePlacement "shop" does not exist in namespace "team-a"; there is a ClusterResourcePlacement "shop", ' +
        'but a StagedUpdateRun can only use what is in its own namespace',
      'Make the run a ClusterStagedUpdateRun, or create ResourcePlacement "shop" in namespace "team-a" first and try again.\n' +
        'kubectl get resourceplacements -n team-a\n' +
        '# If one tool applies both, make the run come last: kustomize with "sortOptions: {order: fifo}", Flux with a second\n' +
        '# Kustomization that has dependsOn, Argo CD with a later sync wave, Helm with a post-install,post-upgrade hook.',
    ],
  ]);
});

test('a run of cluster scope does not find the placement of a namespace', () => {
  const [clusterScope, teamA] = scopes as [Scope, Scope];
  const { findings } = evaluate(changeIn(clusterScope, creation(release)), {
    rules: [rule],
    fleet: fleetIn(teamA, [placement()]),
    policy: defaultPolicy,
    now: testNow,
  });
  expect(findings.map(({ message }) => message)).toEqual(['ClusterResourcePlacement "shop" does not exist']);
});
