import { describe, expect, test } from '@jest/globals';
import { isActive, isInitialized, isOver, isUnderWay, phaseOf, progressOf, type Phase } from '../../src/fleet/run.js';
import type { UpdateRun } from '../../src/fleet/model.js';
import { condition, run } from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';

const [scope] = scopes as readonly [(typeof scopes)[number]];
type Json = Readonly<Record<string, unknown>>;

function runIn(state: string, conditions: readonly Json[], more: { metadata?: Json; status?: Json } = {}): UpdateRun {
  const draft = run('release', {
    spec: { state },
    status: { conditions, ...more.status },
    ...(more.metadata && { metadata: more.metadata }),
  });
  return objectIn(scope, draft);
}

const ready = condition('Initialized', 'True');
const progressing = (status: string, reason: string): Json => condition('Progressing', status, reason);
const deletionTimestamp = '2026-11-16T08:59:00Z';

interface Row {
  readonly row: number;
  readonly of: UpdateRun;
  readonly phase: Phase;
  readonly active?: true;
}

const executing = [ready, progressing('True', 'UpdateRunProgressing')];

/** The life of a run by the controller's own order of tests, from the top. */
const rows: readonly Row[] = [
  { row: 1, of: runIn('Run', executing, { metadata: { deletionTimestamp } }), phase: 'deleting' },
  {
    row: 1,
    of: runIn('Run', [ready, condition('Succeeded', 'True')], { metadata: { deletionTimestamp } }),
    phase: 'deleting',
  },
  { row: 2, of: runIn('Run', [ready, condition('Succeeded', 'True')]), phase: 'finished' },
  { row: 2, of: runIn('Stop', [ready, condition('Succeeded', 'True')]), phase: 'finished' },
  { row: 3, of: runIn('Run', [ready, condition('Succeeded', 'False')]), phase: 'failed' },
  { row: 4, of: runIn('Run', [condition('Initialized', 'False')]), phase: 'failed' },
  { row: 4, of: runIn('Initialize', [condition('Initialized', 'False')]), phase: 'failed' },
  { row: 5, of: runIn('Run', []), phase: 'pending', active: true },
  { row: 5, of: runIn('Run', [condition('Initialized', 'Unknown')]), phase: 'pending', active: true },
  { row: 6, of: runIn('Initialize', []), phase: 'pending' },
  { row: 6, of: runIn('Stop', []), phase: 'pending' },
  { row: 7, of: runIn('Initialize', [ready]), phase: 'initialized' },
  { row: 8, of: runIn('Run', executing), phase: 'executing', active: true },
  { row: 8, of: runIn('Run', [ready]), phase: 'executing', active: true },
  { row: 9, of: runIn('Run', [ready, progressing('False', 'UpdateRunWaiting')]), phase: 'waiting', active: true },
  { row: 10, of: runIn('Run', [ready, progressing('False', 'UpdateRunStuck')]), phase: 'stuck', active: true },
  { row: 11, of: runIn('Run', [ready, progressing('Unknown', 'UpdateRunStopping')]), phase: 'executing', active: true },
  { row: 11, of: runIn('Run', [ready, progressing('False', 'UpdateRunStopped')]), phase: 'executing', active: true },
  { row: 12, of: runIn('Stop', [ready, progressing('Unknown', 'UpdateRunStopping')]), phase: 'stopping' },
  { row: 13, of: runIn('Stop', [ready, progressing('False', 'UpdateRunStopped')]), phase: 'stopped' },
  { row: 14, of: runIn('Stop', [ready, progressing('False', 'UpdateRunStuck')]), phase: 'stuck' },
  { row: 15, of: runIn('Stop', executing), phase: 'stopping' },
  { row: 15, of: runIn('Stop', [ready, progressing('False', 'UpdateRunWaiting')]), phase: 'stopping' },
];

describe('where a run stands', () => {
  test.each(rows)('row $row: $phase in state $of.spec.state', ({ row, of, phase, active = false }) => {
    expect(phaseOf(of)).toBe(phase);
    expect(isActive(of)).toBe(active);
    expect(isUnderWay(of)).toBe(active || [12, 14, 15].includes(row));
    expect(isOver(of)).toBe(['deleting', 'finished', 'failed'].includes(phase));
  });

  test('the generation that a condition was observed at says nothing', () => {
    const old = { ...condition('Succeeded', 'False'), observedGeneration: 1 };
    expect(phaseOf(runIn('Run', [ready, old], { metadata: { generation: 7 } }))).toBe('failed');
  });

  test('a run is initialized only if it says so', () => {
    expect(
      [ready, condition('Initialized', 'False'), condition('Progressing', 'True')].map((each) =>
        isInitialized(runIn('Run', [each])),
      ),
    ).toEqual([true, false, false]);
  });
});

describe('how far a run has come', () => {
  const stage = (stageName: string, conditions: readonly Json[], ...clusters: readonly (readonly Json[])[]): Json => ({
    stageName,
    conditions,
    clusters: clusters.map((each, index) => ({ clusterName: `${stageName}${String(index)}`, conditions: each })),
  });
  const done = condition('Succeeded', 'True');

  test('counts updated clusters and names the stage under way', () => {
    const stagesStatus = [
      stage('canary', [done], [done]),
      stage('prod', [progressing('True', 'x')], [done], [condition('Started', 'True')], []),
      stage('rest', [], []),
    ];
    expect(progressOf(runIn('Run', executing, { status: { stagesStatus } }))).toEqual({
      stage: 'prod',
      openTasks: new Set(),
      updated: 2,
      total: 5,
    });
  });

  test('names no stage before the first and after the last', () => {
    expect(progressOf(runIn('Run', [ready], { status: { stagesStatus: [stage('canary', [], [])] } }))).toEqual({
      openTasks: new Set(),
      updated: 0,
      total: 1,
    });
    expect(progressOf(runIn('Run', [ready], { status: { stagesStatus: [stage('canary', [done], [done])] } }))).toEqual({
      openTasks: new Set(),
      updated: 1,
      total: 1,
    });
  });

  test('names what the stage waits for: the tasks before its clusters, then those after them', () => {
    const tasks = (...types: readonly string[]): readonly Json[] => types.map((type) => ({ type }));
    const passed = { type: 'Approval', conditions: [condition('ApprovalRequestApproved', 'True')] };
    const waitingFor = (more: Json): readonly string[] => {
      const stagesStatus = [{ ...stage('prod', [progressing('False', 'x')], []), ...more }];
      return [...progressOf(runIn('Run', executing, { status: { stagesStatus } })).openTasks];
    };
    const afterStageTaskStatus = tasks('TimedWait', 'Approval');
    expect(waitingFor({ beforeStageTaskStatus: tasks('Approval'), afterStageTaskStatus })).toEqual(['Approval']);
    expect(waitingFor({ beforeStageTaskStatus: [passed], afterStageTaskStatus })).toEqual(['TimedWait', 'Approval']);
    expect(waitingFor({ afterStageTaskStatus: [passed, ...tasks('TimedWait')] })).toEqual(['TimedWait']);
    expect(waitingFor({ afterStageTaskStatus: [passed] })).toEqual([]);
  });

  test('knows nothing of a run without stages', () => {
    expect(progressOf(runIn('Run', []))).toEqual({ openTasks: new Set(), updated: 0, total: 0 });
  });
});
