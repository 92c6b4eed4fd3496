import { expect, test } from '@jest/globals';
import { evaluate } from '../../../src/engine/evaluate.js';
import { warningTexts } from '../../../src/engine/message.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import rule from '../../../src/rules/run/run-not-started.js';
import { creation, run, update } from '../../support/builders.js';
import { testNow, testRule, type Expected } from '../../support/rule-tester.js';
import { changeIn, fleetIn, scopes, type Scope } from '../../support/scopes.js';

const inState = (state: string | undefined) => run('release', { spec: { state } });

const notStarted =
  (state: string, name = 'release') =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path: 'spec.state',
      message: `state ${state} starts nothing; to start it: kubectl patch ${plural('UpdateRun')} ${name}${flag} --type=merge -p '{"spec":{"state":"Run"}}'`,
      fix: 'Set this in the manifest if the run should start at once.\nstate: Run',
    },
  ];

testRule(rule, {
  accepts: {
    'a run that starts': { change: creation(inState('Run')) },
    'the stop of a run': { change: update(inState('Run'), inState('Stop')) },
    'a label on a run that is not started': {
      change: update(
        inState('Initialize'),
        run('release', { spec: { state: 'Initialize' }, metadata: { labels: {} } }),
      ),
    },
  },
  rejects: {
    'a run without a state': { change: creation(inState(undefined)), findings: notStarted('Initialize') },
    'a run in state Initialize': { change: creation(inState('Initialize')), findings: notStarted('Initialize') },
    'a run in state Stop': { change: creation(inState('Stop')), findings: notStarted('Stop') },
    'a run whose name is made later': {
      change: creation(run('', { spec: { state: 'Initialize' }, metadata: { generateName: 'release-' } })),
      findings: notStarted('Initialize', 'NAME'),
    },
  },
});

test.each(scopes)('the whole command fits into a warning, $name', (scope) => {
  const name = 'a-run-with-a-rather-long-name-2026-11-16-0900';
  const verdict = evaluate(changeIn(scope, creation(run(name, { spec: { state: 'Initialize' } }))), {
    rules: [rule],
    fleet: fleetIn(scope, []),
    policy: defaultPolicy,
    now: testNow,
  });
  expect(warningTexts(verdict)).toEqual([expect.stringMatching(/'\{"spec":\{"state":"Run"\}\}'$/)]);
});
