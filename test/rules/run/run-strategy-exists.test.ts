import { expect, test } from '@jest/globals';
import { evaluate } from '../../../src/engine/evaluate.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import rule from '../../../src/rules/run/run-strategy-exists.js';
import { creation, run, stage, start, strategy } from '../../support/builders.js';
import { unlistedFixes } from '../../support/printed-fixes.js';
import { testNow, testRule } from '../../support/rule-tester.js';
import { notThere } from './not-there.js';
import { changeIn, fleetIn, scopes, type Scope } from '../../support/scopes.js';

const path = 'spec.stagedRolloutStrategyName';
const release = run('release');
const rings = strategy('rings', stage('canary'));

const missing = (severity?: 'warn') => notThere('UpdateStrategy', { name: 'rings', path, severity });

testRule(rule, {
  accepts: {
    'a run of a strategy that exists': { change: creation(release), fleet: [rings] },
    'the start of a run whose strategy is gone: KubeFleet has its own copy': { change: start(release) },
  },
  rejects: {
    'a run of a strategy that does not exist': { change: creation(release), findings: missing() },
    'a strategy of another name': {
      change: creation(release),
      fleet: [strategy('ring', stage('canary'))],
      findings: missing(),
    },
    'on a dry run only softly, since the strategy may be on its way': {
      change: creation(release, { dryRun: true }),
      findings: missing('warn'),
    },
    'a run that names no strategy': {
      change: creation(run('release', { spec: { stagedRolloutStrategyName: '' } })),
      knowledge: 'partial',
      findings: ({ kind, plural, flag }) => [
        {
          path,
          message: `is empty, but must name a ${kind('UpdateStrategy')}`,
          fix: `Name one of these.\nkubectl get ${plural('UpdateStrategy')}${flag}`,
        },
      ],
    },
  },
});

test('a run of a namespace is told of the strategy of cluster scope that it cannot use', () => {
  const [clusterScope, teamA] = scopes as [Scope, Scope];
  const { findings } = evaluate(changeIn(teamA, creation(release)), {
    rules: [rule],
    fleet: fleetIn(clusterScope, [rings]),
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
      'StagedUpdateStrategy "rings" does not exist in namespace "team-a"; there is a ClusterStagedUpdateStrategy "rings", ' +
        'but a StagedUpdateRun can only use what is in its own namespace',
      'Make the run a ClusterStagedUpdateRun, or create StagedUpdateStrategy "rings" in namespace "team-a" first and try again.\n' +
        'kubectl get stagedupdatestrategies -n team-a\n' +
        '# If one tool applies both, make the run come last: kustomize with "sortOptions: {order: fifo}", Flux with a second\n' +
        '# Kustomization that has dependsOn, Argo CD with a later sync wave, Helm with a post-install,post-upgrade hook.',
    ],
  ]);
});
