import rule from '../../../src/rules/strategy/strategy-stages-present.js';
import { creation, deletion, stage, strategy, update } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const stages = (count: number) => Array.from({ length: count }, (_, index) => stage(`s${String(index)}`));
const none = strategy('rings');
const fix =
  'List at least one stage; this one takes every cluster of a placement.\nstages:\n  - name: all\n    labelSelector: {}';
const message = 'there are no stages, so no cluster has a place in a run';

testRule(rule, {
  accepts: {
    'one stage': { change: creation(strategy('rings', stage('all'))) },
    'as many stages as the API takes': { change: creation(strategy('rings', ...stages(31))) },
    'the deletion of a strategy without stages': { change: deletion(none) },
  },
  rejects: {
    'an empty list': { change: creation(none), findings: [{ path: 'spec.stages', message, fix }] },
    'an absent list': {
      change: creation({ family: 'UpdateStrategy', json: { metadata: { name: 'rings' } } }),
      findings: [{ path: 'spec.stages', message, fix }],
    },
    'an update that removes the last stage': {
      change: update(strategy('rings', stage('all')), none),
      findings: [{ path: 'spec.stages', message, fix }],
    },
    'an update that leaves the list empty, by a warning': {
      change: update(none, none),
      findings: [{ path: 'spec.stages', message, fix, severity: 'warn' }],
    },
    'one stage more than the API takes': {
      change: creation(strategy('rings', ...stages(32))),
      findings: [{ path: 'spec.stages', message: 'there are 32 stages; a strategy holds at most 31' }],
    },
  },
});
