import { expect } from '@jest/globals';
import { evaluate } from '../../../src/engine/evaluate.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import type { Rule } from '../../../src/engine/rule.js';
import { formatPath } from '../../../src/fleet/path.js';
import rule from '../../../src/rules/run/run-strategy-valid.js';
import maxConcurrency from '../../../src/rules/strategy/strategy-max-concurrency.js';
import selectorValid from '../../../src/rules/strategy/strategy-selector-valid.js';
import stagesPresent from '../../../src/rules/strategy/strategy-stages-present.js';
import tasksValid from '../../../src/rules/strategy/strategy-tasks-valid.js';
import waitTime from '../../../src/rules/strategy/strategy-wait-time.js';
import { creation, run, stage, lateStart, strategy, type Draft } from '../../support/builders.js';
import { testNow, testRule, type Expected } from '../../support/rule-tester.js';
import { changeIn, fleetIn, type Scope } from '../../support/scopes.js';

type Json = Readonly<Record<string, unknown>>;

const change = creation(run('release'));
const gate = { type: 'Approval' };
const rest = { type: 'TimedWait', waitTime: '1h' };
const withStages = (...stages: readonly Json[]): readonly Draft[] => [strategy('rings', ...stages)];
const waiting = (time: string) =>
  withStages(stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: time }] }));

const twoWaits = withStages(stage('canary', { afterStageTasks: [rest, rest] }));
const tooMany = withStages(stage('canary', { maxConcurrency: 3_000_000_000 }));
const noValues = withStages(
  stage('canary', { labelSelector: { matchExpressions: [{ key: 'ring', operator: 'In', values: [] }] } }),
);

interface Problem {
  readonly at: string;
  readonly message: string;
  readonly fix: string;
  readonly lines?: readonly string[];
  readonly severity?: 'warn';
}

const told =
  (...problems: readonly Problem[]) =>
  ({ kind, plural, flag }: Scope): readonly Expected[] =>
    problems.map(({ at, message, fix, lines = [], severity }) => ({
      path: 'spec.stagedRolloutStrategyName',
      message: `${kind('UpdateStrategy')} "rings" has an error in ${at}: ${message}`,
      fix: [
        `Correct the strategy, then try again. ${fix}`,
        `kubectl edit ${plural('UpdateStrategy')} rings${flag}`,
        ...lines.map((line) => `# ${line}`),
      ].join('\n'),
      ...(severity && { severity }),
    }));

const noWait: Problem = {
  at: 'spec.stages[0].afterStageTasks[0].waitTime',
  message: 'stage "canary": waitTime "0s" is no time at all',
  fix: 'Wait for at least one second, or remove the task.',
  lines: ['waitTime: "1s"'],
};

/** What a strategy rule says of the strategy, told of the run: its words are its own affair. */
const asToldBy =
  (strategyRule: Rule, [draft]: readonly Draft[]) =>
  (scope: Scope): readonly Expected[] => {
    if (draft === undefined) throw new Error('there is a strategy');
    const { findings } = evaluate(changeIn(scope, creation(draft)), {
      rules: [strategyRule],
      fleet: fleetIn(scope, []),
      policy: defaultPolicy,
      now: testNow,
    });
    expect(findings).toHaveLength(1);
    return findings.flatMap(({ path, message, fix }) => {
      const [sentence = '', ...lines] = fix.split('\n');
      return told({ at: formatPath(path), message, fix: sentence, lines })(scope);
    });
  };

const sameName = (index: number, message: string, severity?: 'warn'): Problem => ({
  at: `spec.stages[${String(index)}].name`,
  message,
  fix: 'Give each stage a name of its own.',
  ...(severity && { severity }),
});

testRule(rule, {
  accepts: {
    'a sound strategy': {
      change,
      fleet: withStages(
        stage('canary', { afterStageTasks: [rest, gate], maxConcurrency: '50%' }),
        stage('prod', { beforeStageTasks: [gate], maxConcurrency: 2 }),
      ),
    },
    'stages that could overlap, which is judged by the clusters that a run has': {
      change,
      fleet: withStages(stage('canary', { labelSelector: {} }), stage('prod', { labelSelector: {} })),
    },
    'a stage without a selector, which is empty but sound': {
      change,
      fleet: withStages(stage('canary'), { name: 'prod' }),
    },
    'an Approval with a waitTime of old, which KubeFleet drops': {
      change,
      fleet: withStages(stage('canary', { afterStageTasks: [{ ...gate, waitTime: '1h' }] })),
    },
    'a strategy that does not exist, which another rule tells': { change },
    'a run that names no strategy, which another rule tells': {
      change: creation(run('release', { spec: { stagedRolloutStrategyName: '' } })),
      knowledge: 'partial',
    },
    'the start of a run: KubeFleet has its own copy of the strategy': {
      change: lateStart(run('release')),
      fleet: waiting('0s'),
    },
    'a fault whose own rule is switched off': {
      change,
      fleet: waiting('0s'),
      policy: { rules: { 'strategy-wait-time': 'off' } },
    },
  },
  rejects: {
    'a strategy without stages': {
      change,
      fleet: withStages(),
      findings: asToldBy(stagesPresent, withStages()),
    },
    'a wait of no time': { change, fleet: waiting('0s'), findings: told(noWait) },
    'a wait under one second': {
      change,
      fleet: waiting('0.5s'),
      findings: asToldBy(waitTime, waiting('0.5s')),
    },
    'two tasks of one type': {
      change,
      fleet: twoWaits,
      findings: asToldBy(tasksValid, twoWaits),
    },
    'a number of clusters that KubeFleet cannot read': {
      change,
      fleet: tooMany,
      findings: asToldBy(maxConcurrency, tooMany),
    },
    'every fault at once': {
      change,
      fleet: withStages(
        stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] }),
        stage('prod', { afterStageTasks: [gate, gate] }),
      ),
      findings: told(noWait, {
        at: 'spec.stages[1].afterStageTasks[1]',
        message: 'there are two Approval tasks after stage "prod", but KubeFleet allows only one',
        fix: 'Remove one of the two Approval tasks.',
      }),
    },
    'a fault whose own rule only warns, softly': {
      change,
      fleet: waiting('0s'),
      policy: { rules: { 'strategy-wait-time': 'warn' } },
      findings: told({ ...noWait, severity: 'warn' }),
    },
    'a fault on a dry run, softly, since its cure may be on its way': {
      change: creation(run('release'), { dryRun: true }),
      fleet: waiting('0s'),
      findings: told({ ...noWait, severity: 'warn' }),
    },
    'two stages of one name with a gate before each': {
      change,
      fleet: withStages(stage('prod', { beforeStageTasks: [gate] }), stage('prod', { beforeStageTasks: [gate] })),
      findings: told(sameName(1, 'spec.stages[0] is called "prod" as well, and one approval opens the gates of both')),
    },
    'two stages of one name with a gate after each, behind a third without': {
      change,
      fleet: withStages(
        stage('prod'),
        stage('canary', { afterStageTasks: [gate] }),
        stage('prod', { afterStageTasks: [gate] }),
        stage('prod', { afterStageTasks: [rest, gate] }),
      ),
      findings: told(
        sameName(3, 'spec.stages[2] is called "prod" as well, and one approval opens the gates of both'),
        sameName(2, 'spec.stages[0] is called "prod" as well', 'warn'),
      ),
    },
    'two stages of one name that share no gate, softly': {
      change,
      fleet: withStages(stage('prod', { beforeStageTasks: [gate] }), stage('prod', { afterStageTasks: [gate] })),
      findings: told(sameName(1, 'spec.stages[0] is called "prod" as well', 'warn')),
    },
    'two stages of one name without gates, softly': {
      change,
      fleet: withStages(stage('prod', { afterStageTasks: [rest] }), stage('prod', { afterStageTasks: [rest] })),
      findings: told(sameName(1, 'spec.stages[0] is called "prod" as well', 'warn')),
    },
    'a selector that cannot be read': {
      change,
      fleet: noValues,
      findings: asToldBy(selectorValid, noValues),
    },
  },
});
