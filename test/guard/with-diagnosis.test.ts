import { describe, expect, test } from '@jest/globals';
import { changeOf, type Change } from '../../src/engine/change.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { headTexts } from '../../src/engine/message.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import type { Verdict } from '../../src/engine/verdict.js';
import type { RunState } from '../../src/fleet/model.js';
import { withDiagnosis } from '../../src/guard/with-diagnosis.js';
import { catalogue } from '../../src/rules/index.js';
import { fleetOf, hubNamed, inNamespace, runOf, type Hub } from '../support/hubs.js';

/** What the writer of a change is told beside what the rules say. */
function told(hub: Hub, write: (hub: Hub) => Change): string | undefined {
  const world = { rules: catalogue, policy: defaultPolicy, fleet: fleetOf(hub), now: Date.parse(hub.recordedAt) };
  const change = write(hub);
  const { diagnosis } = judged(change, world);
  return headTexts(diagnosis === undefined ? {} : { diagnosis })[0];
}

function judged(change: Change, world: Parameters<typeof evaluate>[1]): Verdict {
  return withDiagnosis(evaluate(change, world), change, world);
}

function touching(hub: Hub) {
  const { metadata } = runOf(hub);
  return { family: 'UpdateRun', name: metadata.name, namespace: metadata.namespace } as const;
}

const deletes = (hub: Hub): Change => changeOf(touching(hub), { oldObject: runOf(hub) });

const sets =
  (state: RunState) =>
  (hub: Hub): Change => {
    const oldObject = runOf(hub);
    return changeOf(touching(hub), { object: { ...oldObject, spec: { ...oldObject.spec, state } }, oldObject });
  };

const labels = (hub: Hub): Change => {
  const oldObject = runOf(hub);
  const metadata = { ...oldObject.metadata, labels: { team: 'a' } };
  return changeOf(touching(hub), { object: { ...oldObject, metadata }, oldObject });
};

/** Approves the request that the hub has for its run, as the guard stamps it. */
const approves = (hub: Hub): Change => {
  const oldObject = fleetOf(hub)
    .all('ApprovalRequest')
    .find(({ metadata }) => metadata.namespace === hub.namespace);
  if (oldObject === undefined) throw new Error('no approval request');
  const { name, namespace, generation = 1 } = oldObject.metadata;
  const approved = { type: 'Approved', status: 'True', observedGeneration: generation };
  const object = { ...oldObject, status: { conditions: [approved] } };
  return changeOf({ family: 'ApprovalRequest', name, namespace, subresource: 'status' }, { object, oldObject });
};

const stuck =
  /^run "stuck-apply-failed-release" is in trouble: stuck, in stage "staging" \(1 of 3\), 0 of 5 clusters updated and 1 under way: KubeFleet says: "The updateRun is stuck waiting for eu-stg-1/;
const lost =
  /^run "placement-deleted-release" is in trouble: aborted, .*: placement "plc-placement-deleted-ns" was deleted while the run went on/;

const trouble: readonly (readonly [string, string, (hub: Hub) => Change, RegExp])[] = [
  ['a stuck run is deleted', 'stuck-apply-failed', deletes, stuck],
  ['a stuck run is stopped', 'stuck-apply-failed', sets('Stop'), stuck],
  [
    'a run that never began is deleted',
    'sorting-label',
    deletes,
    /failed to initialize: "cannot continue the .*sorting label/,
  ],
  [
    'a run that never began is stopped',
    'not-external',
    sets('Stop'),
    /failed to initialize: .*external rollout strategy/,
  ],
  ['a run that was answered with no is stopped', 'approval-rejected', sets('Stop'), /answered with Approved=False/],
  ['a run that hears no approval is stopped', 'approved-for-wrong-generation', sets('Stop'), /observedGeneration 0/],
  ['an aborted run is deleted', 'placement-deleted-ns', deletes, lost],
];

const silent: readonly (readonly [string, string, (hub: Hub) => Change])[] = [
  ['a run that is well is deleted', 'under-way', deletes],
  ['a run that is well is stopped', 'under-way', sets('Stop')],
  ['a run that waits as planned is stopped', 'timed-wait', sets('Stop')],
  ['a run that waits is approved', 'waits-for-approval-after', approves],
  ['what was answered with no is approved', 'approval-rejected', approves],
  ['what was approved for the wrong generation is approved again', 'approved-for-wrong-generation', approves],
  ['a stopped run is resumed', 'stopped', sets('Run')],
  ['a run that was not started is started', 'not-started', sets('Run')],
  ['a run that may yet get a status is deleted', 'no-status', deletes],
  ['a run that has succeeded is deleted', 'succeeded', deletes],
  ['a stuck run gets a label', 'stuck-apply-failed', labels],
];

const scopesOf = (scenario: string): readonly Hub[] => {
  const hub = hubNamed(scenario);
  return hub.namespace === undefined ? [hub, inNamespace(hub)] : [hub];
};

describe('what is the matter with a run is told when', () => {
  test.each(trouble)('%s', (_, scenario, write, line) => {
    for (const hub of scopesOf(scenario)) {
      const text = told(hub, write);
      expect(text).toMatch(line);
      expect(text?.length).toBeLessThanOrEqual(256);
    }
  });
});

describe('nothing is said when', () => {
  test.each(silent)('%s', (_, scenario, write) => {
    for (const hub of scopesOf(scenario)) expect(told(hub, write)).toBeUndefined();
  });
});

test('an approval is told what became of its run', () => {
  const hub = hubNamed('waits-for-approval-after');
  const items = hub.items.map((item) => {
    const isRun = String(item['kind']).endsWith('UpdateRun');
    const status = item['status'] as { conditions: object[] };
    const failure = { type: 'Succeeded', status: 'False', message: 'the updateRun has nil stagesStatus' };
    return isRun ? { ...item, status: { ...status, conditions: [...status.conditions, failure] } } : item;
  });
  expect(told({ ...hub, items }, approves)).toMatch(/is in trouble: aborted, .*somebody else has written to it/);
});
