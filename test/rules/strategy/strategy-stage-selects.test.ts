import rule from '../../../src/rules/strategy/strategy-stage-selects.js';
import { creation, stage, strategy } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const by = (matchLabels: object, ...matchExpressions: readonly object[]) =>
  stage('prod', { labelSelector: { matchLabels, matchExpressions } });
const path = 'spec.stages[0].labelSelector';

testRule(rule, {
  accepts: {
    'an empty selector, which is not an absent one': { change: creation(strategy('rings', by({}))) },
    'requirements on one key that leave a value': {
      change: creation(strategy('rings', by({ env: 'a' }, { key: 'env', operator: 'NotIn', values: ['b'] }))),
    },
    'a selector with a fault, which another rule tells': {
      change: creation(strategy('rings', by({ env: 'a' }, { key: 'env', operator: 'Foo', values: ['b'] }))),
    },
  },
  rejects: {
    'an absent selector': {
      change: creation(strategy('rings', { name: 'prod' })),
      findings: [{ path, message: 'stage "prod" has no labelSelector, so it selects no cluster' }],
    },
    'a selector of null': {
      change: creation(strategy('rings', stage('prod', { labelSelector: null }))),
      findings: [{ path, message: 'stage "prod" has no labelSelector, so it selects no cluster' }],
    },
    'two values for one key': {
      change: creation(
        strategy('rings', by({ env: 'a', zone: 'x' }, { key: 'env', operator: 'In', values: ['b', 'c'] })),
      ),
      findings: [
        { path, message: 'stage "prod" can never select a cluster: no label can be env=a and env in (b,c) at once' },
      ],
    },
    'a key that must and must not be there': {
      change: creation(
        strategy('rings', by({}, { key: 'env', operator: 'Exists' }, { key: 'env', operator: 'DoesNotExist' })),
      ),
      findings: [{ path, message: 'stage "prod" can never select a cluster: no label can be env and !env at once' }],
    },
  },
});
