import rule from '../../../src/rules/strategy/strategy-stage-names-unique.js';
import { creation, stage, strategy, update } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const gate = { type: 'Approval' };
const before = { beforeStageTasks: [gate] };
const after = { afterStageTasks: [{ type: 'TimedWait', waitTime: '1h' }, gate] };
const fix = (name: string) => `Give the stage a name of its own.\nname: ${name}`;
const tellApart = 'a run cannot tell the two apart';
const long = 'a'.repeat(63);

testRule(rule, {
  accepts: {
    'names that differ': { change: creation(strategy('rings', stage('canary'), stage('canary2'))) },
    'stages without a name, which the API refuses by itself': {
      change: creation(strategy('rings', {}, {})),
    },
    'a name that every object seems to have': { change: creation(strategy('rings', stage('constructor'))) },
  },
  rejects: {
    'two gated stages of one name': {
      change: creation(strategy('rings', stage('canary', after), stage('prod'), stage('canary', after))),
      findings: [
        {
          path: 'spec.stages[2].name',
          message: '"canary" is already the name of spec.stages[0]; one approval would open the gates of both',
          fix: fix('canary2'),
        },
      ],
    },
    'gates before the stages': {
      change: creation(strategy('rings', stage('canary', before), stage('canary', before))),
      findings: [
        {
          path: 'spec.stages[1].name',
          message: '"canary" is already the name of spec.stages[0]; one approval would open the gates of both',
          fix: fix('canary2'),
        },
      ],
    },
    'a gate before one and after the other, which are two approvals': {
      change: creation(strategy('rings', stage('canary', before), stage('canary', after))),
      findings: [
        {
          path: 'spec.stages[1].name',
          message: `"canary" is already the name of spec.stages[0]; ${tellApart}`,
          fix: fix('canary2'),
        },
      ],
    },
    'three of one name, beside a name that would have been the next': {
      change: update(strategy('rings', stage('a')), strategy('rings', stage('a'), stage('a'), stage('a2'), stage('a'))),
      findings: [
        {
          path: 'spec.stages[1].name',
          message: `"a" is already the name of spec.stages[0]; ${tellApart}`,
          fix: fix('a3'),
        },
        {
          path: 'spec.stages[3].name',
          message: `"a" is already the name of spec.stages[0]; ${tellApart}`,
          fix: fix('a4'),
        },
      ],
    },
    'a name as long as can be': {
      change: creation(strategy('rings', stage(long), stage(long))),
      findings: [
        {
          path: 'spec.stages[1].name',
          message: `"${long}" is already the name of spec.stages[0]; ${tellApart}`,
          fix: fix(`${'a'.repeat(62)}2`),
        },
      ],
    },
  },
});
