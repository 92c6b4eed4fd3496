import rule from '../../../src/rules/strategy/strategy-sorting-key.js';
import { creation, stage, strategy, update } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const sortedBy = (sortingLabelKey: string, labelSelector: object = { matchLabels: { ring: 'prod' } }) =>
  strategy('rings', stage('canary'), { name: 'prod', labelSelector, sortingLabelKey });
const asking = (...matchExpressions: readonly object[]) => ({ matchExpressions });
const order = (operator: string, ...values: readonly string[]) =>
  values.length === 0 ? { key: 'order', operator } : { key: 'order', operator, values };

const says = (text: string, severity: 'deny' | 'warn' = 'deny') => [
  { path: 'spec.stages[1].sortingLabelKey', severity, message: `stage "prod" sorts its clusters by ${text}` },
];

testRule(rule, {
  accepts: {
    'a label of its own': { change: creation(sortedBy('order')) },
    'a key with a prefix': { change: creation(sortedBy('example.com/order')) },
    'no sorting at all': { change: creation(strategy('rings', stage('canary'), stage('prod'))) },
    'a label that the selector asks to be there': { change: creation(sortedBy('order', asking(order('Exists')))) },
    'a label that the selector binds to numbers': {
      change: creation(sortedBy('order', asking(order('In', '1', '2')))),
    },
    'a label that the selector keeps from some values': {
      change: creation(sortedBy('order', asking(order('NotIn', 'none')))),
    },
    'values of which those that are no numbers are left out again': {
      change: creation(sortedBy('order', asking(order('In', '1', 'none'), order('NotIn', 'none')))),
    },
    'values that contradict each other, which another rule tells': {
      change: creation(sortedBy('order', asking(order('In', 'a'), order('In', 'b')))),
    },
    'a stage without a selector, which another rule tells': {
      change: creation(strategy('rings', { name: 'prod', sortingLabelKey: 'order' })),
    },
  },
  rejects: {
    'a key that no label can have': {
      change: creation(sortedBy('not a key')),
      findings: says('"not a key", which cannot be a label key'),
    },
    'a key that is far too long': {
      change: creation(sortedBy('x'.repeat(300))),
      findings: says(`"${'x'.repeat(253)}…", which cannot be a label key`),
    },
    'an empty key': { change: creation(sortedBy('')), findings: says('an empty key') },
    'a label that the selector binds to what is no number': {
      change: creation(sortedBy('ring')),
      findings: says('label "ring", and selects only clusters that have no number there: "prod"'),
    },
    'a label that the selector binds to a number beyond what KubeFleet can read': {
      change: creation(sortedBy('order', { matchLabels: { order: '9223372036854775808' } })),
      findings: says('label "order", and selects only clusters that have no number there: "9223372036854775808"'),
    },
    'a label that the selector forbids': {
      change: creation(sortedBy('order', asking(order('DoesNotExist')))),
      findings: says('label "order", and selects only clusters without it'),
    },
    'values of which some are no numbers, softly': {
      change: creation(sortedBy('order', asking(order('In', '1', 'none')))),
      findings: says('label "order", and selects clusters that have no number there: "none"', 'warn'),
    },
    'an edit that brings it in': {
      change: update(sortedBy('order'), sortedBy('not a key')),
      findings: says('"not a key", which cannot be a label key'),
    },
  },
});
