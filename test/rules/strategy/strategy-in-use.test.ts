import rule from '../../../src/rules/strategy/strategy-in-use.js';
import { condition, deletion, run, stage, strategy, update, type Draft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';

type Json = Readonly<Record<string, unknown>>;

const rings = strategy('rings', stage('canary'), stage('prod'));
const edited = strategy('rings', stage('canary'));
const secondsAgo = { creationTimestamp: '2026-11-16T08:59:50Z' };
const justUnderAMinuteAgo = { creationTimestamp: '2026-11-16T08:59:01Z' };
const justOverAMinuteAgo = { creationTimestamp: '2026-11-16T08:58:59Z' };
const hoursAgo = { creationTimestamp: '2026-11-16T06:00:00Z' };
const keep = 'To roll out by other stages, create a new run.';

function having(name: string, conditions: readonly object[], metadata: Json = hoursAgo): Draft {
  return run(name, { metadata, status: { conditions } });
}

const initialized = condition('Initialized', 'True');
const needs = (name: string): string =>
  `run "${name}" is not initialized yet and needs this strategy for it; without it, the run would fail for good`;
const wait = (plural: string, name: string, flag: string): string =>
  `Delete the strategy when the run is initialized, or delete the run first.\nkubectl wait ${plural} ${name}${flag} --for=condition=Initialized --timeout=60s`;

testRule(rule, {
  accepts: {
    'the deletion of a strategy that nobody uses': { change: deletion(rings) },
    'the deletion while a run by another strategy starts': {
      change: deletion(rings),
      fleet: [run('a', { metadata: secondsAgo, spec: { stagedRolloutStrategyName: 'fast' } })],
    },
    'the deletion when all runs are over': {
      change: deletion(rings),
      fleet: [
        having('a', [initialized, condition('Succeeded', 'True')]),
        having('b', [condition('Initialized', 'False')]),
        run('c', { metadata: { ...secondsAgo, deletionTimestamp: '2026-11-16T08:59:59Z' } }),
      ],
    },
    'the deletion of a strategy that could not be run anyway': {
      change: deletion(
        strategy('rings', { name: 'canary', afterStageTasks: [{ type: 'TimedWait', waitTime: '0.5s' }] }),
      ),
      fleet: [run('a', { metadata: secondsAgo })],
    },
    'the same where such a strategy may be written': {
      change: deletion(
        strategy('rings', { name: 'canary', afterStageTasks: [{ type: 'TimedWait', waitTime: '0.5s' }] }),
      ),
      fleet: [run('a', { metadata: secondsAgo })],
      policy: { rules: { 'strategy-wait-time': 'off' } },
    },
    'an edit while a run starts, which will take the new stages or the old': {
      change: update(rings, edited),
      fleet: [run('a', { metadata: secondsAgo })],
    },
    'an edit when all runs are over': {
      change: update(rings, edited),
      fleet: [having('a', [initialized, condition('Succeeded', 'True')])],
    },
    'a new label on a strategy in use': {
      change: update(rings, { ...rings, json: { ...rings.json, metadata: { name: 'rings', labels: { team: 'a' } } } }),
      fleet: [having('a', [initialized])],
    },
    'an edit where nobody knows the runs': { change: update(rings, edited), knowledge: 'partial' },
  },
  rejects: {
    'the deletion of a strategy that is only odd, while a run of it starts': {
      change: deletion(
        strategy('rings', stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '9000h' }] })),
      ),
      fleet: [run('a', { metadata: secondsAgo })],
      findings: ({ plural, flag }) => [
        { path: '', message: needs('a'), fix: wait(plural('UpdateRun'), 'a', flag), retry: true },
      ],
    },
    'for now, the deletion while a run starts': {
      change: deletion(rings),
      fleet: [run('a', { metadata: secondsAgo }), run('b', { metadata: secondsAgo, spec: { state: 'Initialize' } })],
      findings: ({ plural, flag }) => [
        { path: '', message: needs('a'), fix: wait(plural('UpdateRun'), 'a', flag), retry: true },
        { path: '', message: needs('b'), fix: wait(plural('UpdateRun'), 'b', flag), retry: true },
      ],
    },
    'for now, the deletion while a run has been starting for less than a minute; softly, for more': {
      change: deletion(rings),
      fleet: [run('a', { metadata: justUnderAMinuteAgo }), run('b', { metadata: justOverAMinuteAgo })],
      findings: ({ plural, flag }) => [
        { path: '', message: needs('a'), fix: wait(plural('UpdateRun'), 'a', flag), retry: true },
        { path: '', severity: 'warn', message: needs('b'), fix: wait(plural('UpdateRun'), 'b', flag) },
      ],
    },
    'for now, the deletion of a strategy with a waitTime that KubeFleet drops, while a run starts': {
      change: deletion(strategy('rings', stage('canary', { afterStageTasks: [{ type: 'Approval', waitTime: '1h' }] }))),
      fleet: [run('a', { metadata: secondsAgo })],
      findings: ({ plural, flag }) => [
        { path: '', message: needs('a'), fix: wait(plural('UpdateRun'), 'a', flag), retry: true },
      ],
    },
    'softly, the deletion while a run has been hanging for long': {
      change: deletion(rings),
      fleet: [run('a', { metadata: hoursAgo })],
      findings: ({ plural, flag }) => [
        { path: '', severity: 'warn', message: needs('a'), fix: wait(plural('UpdateRun'), 'a', flag) },
      ],
    },
    'softly, the deletion while a run of unknown age hangs': {
      change: deletion(rings),
      fleet: [run('a')],
      findings: ({ plural, flag }) => [
        { path: '', severity: 'warn', message: needs('a'), fix: wait(plural('UpdateRun'), 'a', flag) },
      ],
    },
    'softly, the deletion while a run goes by its own copy': {
      change: deletion(rings),
      fleet: [having('a', [initialized])],
      findings: [
        {
          path: '',
          severity: 'warn',
          message: 'deleting this strategy does not touch run "a": it keeps the stages it was initialized with',
          fix: keep,
        },
      ],
    },
    'softly, an edit that runs no longer notice': {
      change: update(rings, edited),
      fleet: [
        having('a', [initialized]),
        having('b', [initialized, condition('Progressing', 'False', 'UpdateRunStuck')]),
        having('c', [initialized, condition('Succeeded', 'False')]),
        run('d', { metadata: secondsAgo }),
      ],
      findings: [
        {
          path: '',
          severity: 'warn',
          message: 'this edit does not reach runs "a" and "b": they keep the stages they were initialized with',
          fix: keep,
        },
      ],
    },
    'a deletion where nobody knows the runs': {
      change: deletion(rings),
      knowledge: 'partial',
      findings: ({ kind }) => [
        {
          path: '',
          outcome: 'undetermined',
          message: `could not be checked: cannot know the ${kind('UpdateRun')}s of strategy "rings"`,
          fix: 'Send the same again in a few seconds.',
          retry: true,
        },
      ],
    },
  },
});
