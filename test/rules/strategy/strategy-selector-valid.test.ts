import rule from '../../../src/rules/strategy/strategy-selector-valid.js';
import { creation, stage, strategy, update } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const by = (key: string, operator: string, ...values: readonly string[]) =>
  stage('prod', { labelSelector: { matchExpressions: [{ key, operator, values }] } });
const labelled = (key: string, value: string) => stage('prod', { labelSelector: { matchLabels: { [key]: value } } });
const valueFix = 'Use at most 63 of A-Z a-z 0-9 - _ . that begin and end with a letter or digit.';
const keyFix =
  'Use at most 63 of A-Z a-z 0-9 - _ . that begin and end with a letter or digit; a lower-case DNS name and a slash may stand before them.';
const at = 'spec.stages[0].labelSelector.matchExpressions[0]';

testRule(rule, {
  accepts: {
    'no selector at all': { change: creation(strategy('rings', { name: 'none' })) },
    'an empty selector': { change: creation(strategy('rings', { name: 'all', labelSelector: {} })) },
    'every operator with the values it takes': {
      change: creation(
        strategy('rings', by('a', 'In', 'x'), by('a', 'NotIn', 'x', 'y'), by('a', 'Exists'), by('a', 'DoesNotExist')),
      ),
    },
    'the empty value': { change: creation(strategy('rings', labelled('env', ''))) },
    'the longest value': { change: creation(strategy('rings', labelled('env', 'v'.repeat(63)))) },
    'a key with a prefix': { change: creation(strategy('rings', labelled('example.com/env', 'prod'))) },
    'a selector that nothing satisfies': {
      change: creation(
        strategy('rings', {
          name: 'never',
          labelSelector: { matchLabels: { a: 'x' }, matchExpressions: [{ key: 'a', operator: 'DoesNotExist' }] },
        }),
      ),
    },
  },
  rejects: {
    'an operator in lower case': {
      change: creation(strategy('rings', by('env', 'in', 'prod'))),
      findings: [
        {
          path: `${at}.operator`,
          message: 'stage "prod": operator "in" is not one of In, NotIn, Exists, DoesNotExist',
          fix: 'Write In, with these capital letters.',
        },
      ],
    },
    'In without values': {
      change: update(strategy('rings', by('env', 'In', 'prod')), strategy('rings', by('env', 'In'))),
      findings: [
        {
          path: `${at}.values`,
          message: 'stage "prod": operator In needs at least one value',
          fix: 'Add the values, or use operator Exists without values.',
        },
      ],
    },
    'Exists with a value': {
      change: creation(strategy('rings', by('env', 'Exists', 'true'))),
      findings: [
        {
          path: `${at}.values`,
          message: 'stage "prod": operator Exists must have no values, but has "true"',
          fix: 'Remove the values, or use operator In with them.',
        },
      ],
    },
    'a key with an upper case prefix': {
      change: creation(strategy('rings', labelled('Example.com/env', 'prod'))),
      findings: [
        {
          path: 'spec.stages[0].labelSelector.matchLabels["Example.com/env"]',
          message: 'stage "prod": "Example.com/env" cannot be a label key',
          fix: keyFix,
        },
      ],
    },
    'problems of several stages, all of them': {
      change: creation(strategy('rings', labelled('env', 'a b'), stage('sound'), by('env', 'NotIn', 'ok', '-no'))),
      findings: [
        {
          path: 'spec.stages[0].labelSelector.matchLabels.env',
          message: 'stage "prod": "a b" cannot be a label value',
          fix: valueFix,
        },
        {
          path: 'spec.stages[2].labelSelector.matchExpressions[0].values[1]',
          message: 'stage "prod": "-no" cannot be a label value',
          fix: valueFix,
        },
      ],
    },
  },
});
