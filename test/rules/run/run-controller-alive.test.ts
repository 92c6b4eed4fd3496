import rule from '../../../src/rules/run/run-controller-alive.js';
import { condition, creation, run, lateStart, type Draft } from '../../support/builders.js';
import { testNow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const finalizers = ['kubernetes-fleet.io/stagedupdaterun-finalizer'];
const aged = (name: string, seconds: number, more: Record<string, unknown> = {}): Draft =>
  run(name, { metadata: { creationTimestamp: new Date(testNow - seconds * 1000).toISOString(), ...more } });

const ignored =
  (which: string) =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path: '',
      message: `nothing has taken up ${which}, created more than 2 minutes ago; this run may wait as well`,
      fix: [
        'Check that the hub agent runs and has enableStagedUpdateRunAPIs set (this may take a fleet admin).',
        `kubectl get ${plural('UpdateRun')}${flag}`,
        'kubectl get pods -n fleet-system',
      ].join('\n'),
    },
  ];

testRule(rule, {
  accepts: {
    'the first run of all': { change: creation(release) },
    'a run that was taken up': { change: creation(release), fleet: [aged('old', 600, { finalizers })] },
    'a run with a status': {
      change: creation(release),
      fleet: [
        run('old', {
          metadata: { creationTimestamp: new Date(testNow - 600_000).toISOString() },
          status: { conditions: [condition('Initialized', 'False')] },
        }),
      ],
    },
    'a run that was created just two minutes ago': { change: creation(release), fleet: [aged('old', 120)] },
    'a run of unknown age': { change: creation(release), fleet: [run('old')] },
    'a run that is being deleted': {
      change: creation(release),
      fleet: [aged('old', 600, { deletionTimestamp: '2026-11-16T08:59:00Z' })],
    },
    'a run whose name is too long for a finalizer': {
      change: creation(release),
      fleet: [aged('x'.repeat(64), 600)],
    },
    'a run that was passed over, while a later one was taken up': {
      change: creation(release),
      fleet: [aged('old', 600), aged('new', 300, { finalizers })],
    },
    'the same run, created again': { change: creation(aged('release', 600)), fleet: [aged('release', 600)] },
    'the start of a run': { change: lateStart(release), fleet: [aged('old', 600)] },
    'what cannot be known': { change: creation(release), fleet: [aged('old', 600)], knowledge: 'partial' },
  },
  rejects: {
    'a run that nobody has touched for more than two minutes': {
      change: creation(release),
      fleet: [aged('old', 121)],
      findings: ignored('run "old"'),
    },
    'a name of as many characters as a run may have': {
      change: creation(release),
      fleet: [aged('x'.repeat(63), 600)],
      findings: ignored(`run "${'x'.repeat(63)}"`),
    },
    'runs since the last that was taken up': {
      change: creation(release),
      fleet: [aged('first', 900), aged('seen', 800, { finalizers }), aged('a', 600), aged('b', 500)],
      findings: ignored('runs "a" and "b"'),
    },
  },
});
