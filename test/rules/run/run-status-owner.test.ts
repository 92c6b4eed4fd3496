import { expect, test } from '@jest/globals';
import { evaluate } from '../../../src/engine/evaluate.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import { decodeReview } from '../../../src/http/admission-review.js';
import rule from '../../../src/rules/run/run-status-owner.js';
import { condition, run, update, type ChangeDraft } from '../../support/builders.js';
import { testRule } from '../../support/rule-tester.js';
import { fleetIn, scopes } from '../../support/scopes.js';

const agent = 'system:serviceaccount:fleet-system:hub-agent-sa';
const before = run('release', { status: { conditions: [condition('Initialized', 'True')] } });
const after = run('release', { status: { conditions: [] } });
const write = (user: string, more: Partial<ChangeDraft> = {}): ChangeDraft =>
  update(before, after, { subresource: 'status', user, ...more });
const message = `user "alice" changes the status of the run, which only the hub agent (${agent}) may write`;

testRule(rule, {
  accepts: {
    'the hub agent': { change: write(agent) },
    'a hub agent of another name that the settings know': {
      change: write('fleet'),
      policy: { hubAgent: { users: [agent, 'fleet'], confirmed: true } },
    },
    'the hub agent through v1alpha1': { change: write(agent, { requestVersion: 'v1alpha1' }) },
    'a write that changes nothing of the status': {
      change: update(before, before, { subresource: 'status', user: 'alice' }),
    },
    'a write to the run itself, from which the API server keeps the status away': {
      change: update(before, after, { user: 'alice' }),
    },
  },
  rejects: {
    'a user': { change: write('alice'), findings: [{ path: 'status', message }] },
    'a write through v1alpha1 that seems to change nothing: both objects come without what it drops': {
      change: update(before, before, { subresource: 'status', user: 'alice', requestVersion: 'v1alpha1' }),
      findings: [{ path: 'status', message }],
    },
    'a user on a dry run, since the fault lies in the write': {
      change: write('alice', { dryRun: true }),
      findings: [{ path: 'status', message }],
    },
    'a name that only begins like the hub agent': {
      change: write(`${agent}2`),
      findings: [{ path: 'status', message: message.replace('alice', `${agent}2`) }],
    },
    'whoever it is only softly, until the name of the hub agent is confirmed': {
      change: write('alice'),
      policy: { hubAgent: { ...defaultPolicy.hubAgent, confirmed: false } },
      findings: [
        {
          path: 'status',
          severity: 'warn',
          message,
          fix: 'Leave the status alone. If this user is the hub agent, name it under hubAgent.users in the settings of the guard.',
        },
      ],
    },
  },
});

/** A write to the status of a run as the API server asks about it, from a start time of the stage to another. */
function movedStart(from: string, to: string, user: string): readonly string[] {
  const runWith = (startTime: string): object => ({
    metadata: { name: 'release' },
    spec: { placementName: 'shop', stagedRolloutStrategyName: 'rings' },
    status: { stagesStatus: [{ stageName: 'canary', clusters: [], startTime }] },
  });
  const { subject } = decodeReview({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: 'u',
      resource: { group: 'placement.kubernetes-fleet.io', version: 'v1beta1', resource: 'clusterstagedupdateruns' },
      requestKind: { version: 'v1beta1' },
      ...{ operation: 'UPDATE', subResource: 'status', name: 'release', userInfo: { username: user } },
      ...{ object: runWith(to), oldObject: runWith(from) },
    },
  });
  if (subject === undefined) throw new Error('not judged');
  const fleet = fleetIn(scopes[0] as (typeof scopes)[0], []);
  return evaluate(subject.change, { rules: [rule], fleet, policy: defaultPolicy, now: 0 }).findings.map(
    (finding) => finding.message,
  );
}

test('what no rule reads is the hub agent to write as well, as the floor has it', () => {
  const [then, later] = ['2026-01-02T03:04:05Z', '2026-01-02T03:05:05Z'] as const;
  expect(movedStart(then, later, 'alice')).toEqual([message]);
  expect(movedStart(then, then, 'alice')).toEqual([]);
  expect(movedStart(then, later, agent)).toEqual([]);
});
