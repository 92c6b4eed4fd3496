import rule from '../../../src/rules/strategy/strategy-size.js';
import { creation, stage, strategy } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

const list = <T>(count: number, make: (index: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));
const tasks = (count: number) =>
  creation(strategy('rings', stage('prod', { afterStageTasks: list(count, () => ({ type: 'Approval' })) })));
const labels = (...counts: readonly number[]) =>
  creation(
    strategy(
      'rings',
      ...counts.map((count, index) =>
        stage(`s${String(index)}`, {
          labelSelector: { matchLabels: Object.fromEntries(list(count, (key) => [`k${String(key)}`, 'v'])) },
        }),
      ),
    ),
  );
const values = (...counts: readonly number[]) =>
  creation(
    strategy(
      'rings',
      ...counts.map((count, index) => {
        const expression = { key: 'k', operator: 'In', values: list(count, (value) => `v${String(value)}`) };
        return stage(`s${String(index)}`, { labelSelector: { matchExpressions: [expression] } });
      }),
    ),
  );
const key = (length: number) => creation(strategy('rings', stage('prod', { sortingLabelKey: 'k'.repeat(length) })));
const selector = (more: object) => creation(strategy('rings', stage('prod', { labelSelector: more })));

testRule(rule, {
  accepts: {
    'as many tasks as are judged': { change: tasks(248) },
    'as many requirements as are judged': { change: labels(240, 8) },
    'as many values as are judged': { change: values(2_500, 2_500) },
    'a text as long as a label key can be': { change: key(317) },
    'more stages than there can be, which another rule tells': {
      change: creation(strategy('rings', ...list(5_000, (index) => stage(`s${String(index)}`, {})))),
    },
    'a long time to wait, which another rule tells': {
      change: creation(
        strategy('rings', stage('prod', { afterStageTasks: [{ type: 'TimedWait', waitTime: '1'.repeat(5_000) }] })),
      ),
    },
  },
  rejects: {
    'one task more': {
      change: tasks(249),
      findings: [
        { path: 'spec.stages', message: 'there are 249 tasks in all stages; at most 248 can be judged', fix: rule.fix },
      ],
    },
    'one requirement more': {
      change: labels(240, 9),
      findings: [
        {
          path: 'spec.stages',
          message: 'there are 249 requirements in the label selectors of all stages; at most 248 can be judged',
          fix: rule.fix,
        },
      ],
    },
    'one value more': {
      change: values(2_500, 2_501),
      findings: [
        {
          path: 'spec.stages',
          message: 'there are 5001 values in the label selectors of all stages; at most 5000 can be judged',
          fix: rule.fix,
        },
      ],
    },
    'a text that is longer': {
      change: key(318),
      findings: [
        {
          path: 'spec.stages[0].sortingLabelKey',
          message: 'there are 318 characters in one text; at most 317 can be judged',
          fix: rule.fix,
        },
      ],
    },
    'a value that is longer': {
      change: selector({ matchExpressions: [{ key: 'k', operator: 'In', values: ['a', 'v'.repeat(318)] }] }),
      findings: [
        {
          path: 'spec.stages[0].labelSelector.matchExpressions[0].values',
          message: 'there are 318 characters in one text; at most 317 can be judged',
          fix: rule.fix,
        },
      ],
    },
  },
});
