import { afterAll, describe, expect, test } from '@jest/globals';
import { plannedStages, readCases, refusingRules, type RecordedCase } from './cases.js';

/** Which rules may stand for a message of the controller. */
const rulesForMessage: readonly (readonly [text: string, ...rules: readonly string[]])[] = [
  ['parent placement not found', 'run-placement-exists'],
  ['does not have an external rollout strategy', 'run-placement-external'],
  ['not fully scheduled yet', 'run-placement-scheduled'],
  ['no scheduled or to-be-deleted bindings found', 'run-has-clusters'],
  ['referenced updateStrategy not found', 'run-strategy-exists'],
  ['the after stage tasks are invalid', 'run-strategy-valid'],
  ['the stage label selector is invalid', 'run-strategy-valid'],
  // Within one stage the controller meets clusters in no fixed order, so that these two may stand for each other.
  ['appears in more than one stages', 'run-cluster-in-one-stage', 'run-sorting-label'],
  ['the sorting label', 'run-sorting-label', 'run-cluster-in-one-stage'],
  // A strategy without stages is named as what it is.
  ['not placed in any stage', 'run-cluster-in-some-stage', 'run-strategy-valid'],
  ['invalid resource snapshot index', 'run-snapshot-index'],
  // "00" and "+1" are numbers to the controller, but no label has them.
  ['no resourceSnapshots with index', 'run-snapshot-exists', 'run-snapshot-index'],
];

const tally = new Map<string, number>();

function count(what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1);
}

function conditionOf(recorded: RecordedCase, type: string): RecordedCase['outcome']['conditions'][number] | undefined {
  return recorded.outcome.conditions.find((condition) => condition.type === type);
}

describe.each(['main', 'v0.3.1'])('the hub agent of %s', (version) => {
  const cases = readCases(version);
  const created = cases.filter(({ event }) => event === 'create').map((recorded) => [recorded.id, recorded] as const);
  const started = cases.filter(({ event }) => event === 'start').map((recorded) => [recorded.id, recorded] as const);

  test.each(created)('creates %s as foretold', (_, recorded) => {
    const initialized = conditionOf(recorded, 'Initialized');
    const refusing = refusingRules(recorded, version);
    if (initialized?.status === 'True') {
      count(`${version} create: initialized`);
      const { stages, deletion = [] } = recorded.outcome;
      expect(refusing).toEqual([]);
      expect(plannedStages(recorded)).toEqual({ stages, deletion });
      return;
    }
    const message = initialized?.message ?? '';
    const [text, ...rules] = rulesForMessage.find(([part]) => message.includes(part)) ?? ['unknown message'];
    count(`${version} create: ${text}`);
    expect({ message, text: refusing.find((rule) => rules.includes(rule)) ? text : refusing }).toEqual({
      message,
      text,
    });
  });

  test.each(started)('starts %s as foretold', (_, recorded) => {
    const isAborted = conditionOf(recorded, 'Succeeded')?.status === 'False';
    count(`${version} start: ${isAborted ? 'aborted' : 'runs'}`);
    const refusing = refusingRules(recorded, version);
    expect(refusing.length > 0).toBe(isAborted);
  });
});

afterAll(() => {
  const lines = [...tally].sort().map(([what, number]) => `  ${String(number).padStart(4)}  ${what}`);
  const total = [...tally.values()].reduce((sum, number) => sum + number, 0);
  process.stdout.write(`recorded outcomes: ${String(total)} cases\n${lines.join('\n')}\n`);
});
