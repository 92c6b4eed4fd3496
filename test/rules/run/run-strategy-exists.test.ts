import rule from '../../../src/rules/run/run-strategy-exists.js';
import { creation, run, stage, lateStart, strategy } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';
import { notThere, testTellsOfClusterScope } from './not-there.js';

const path = 'spec.stagedRolloutStrategyName';
const release = run('release');
const rings = strategy('rings', stage('canary'));

const missing = (severity?: 'warn', nearest?: string) =>
  notThere('UpdateStrategy', { name: 'rings', path, severity, nearest });

testRule(rule, {
  accepts: {
    'a run of a strategy that exists': { change: creation(release), fleet: [rings] },
    'the start of a run whose strategy is gone: KubeFleet has its own copy': { change: lateStart(release) },
  },
  rejects: {
    'a run of a strategy that does not exist': { change: creation(release), findings: missing() },
    'a strategy of another name': {
      change: creation(release),
      fleet: [strategy('ring', stage('canary'))],
      findings: missing(undefined, 'ring'),
    },
    'a strategy of quite another name': {
      change: creation(release),
      fleet: [strategy('waves', stage('canary'))],
      findings: missing(),
    },
    'on a dry run only softly, since the strategy may be on its way': {
      change: creation(release, { dryRun: true }),
      findings: missing('warn'),
    },
    'a run that names what no strategy can be called, which needs no hub to be known': {
      change: creation(run('release', { spec: { stagedRolloutStrategyName: '$SHOP' } })),
      knowledge: 'partial',
      findings: ({ kind, plural, flag }) => [
        {
          path,
          message: `"\\u0024SHOP" is no name that a ${kind('UpdateStrategy')} can have; a variable is to be filled in first`,
          fix: `Name one of these.\nkubectl get ${plural('UpdateStrategy')}${flag}`,
        },
      ],
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

testTellsOfClusterScope(rule, rings, { kind: 'UpdateStrategy', name: 'rings' });
