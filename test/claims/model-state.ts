import type { HolderRun, Situation } from '../../src/claims/protocol.js';

/* What the small world of model.ts is made of. */

/**
 * Ticks. With one, time is either too short or long enough: a tick is the moment at which whatever was sent before it is
 * stored or lost, and every claim that was seen before it has settled. A longer time only adds steps between.
 */
export const settle = 1;

export type RunState = 'absent' | 'idle' | 'active' | 'over' | 'deleting' | 'gone';

/** A set of runs, a bit each. */
export type Runs = number;

export const has = (runs: Runs, i: number): boolean => (runs & (1 << i)) !== 0;
export const add = (runs: Runs, i: number): Runs => runs | (1 << i);
export const members = (runs: Runs): readonly number[] => memberTable[runs] ?? [];
const memberTable = Array.from({ length: 16 }, (_, runs) => [0, 1, 2, 3].filter((i) => has(runs, i)));

interface Lease {
  version: number;
  holders: Runs;
  hasJumped: boolean;
}

/** What one replica knows; version 0 is no Lease. */
export interface Knowledge {
  version: number;
  holders: Runs;
  age: number;
  /** Which runs were seen stored. */
  seen: Runs;
  /** Ticks since these holders can no longer become active. */
  dead: number;
}

export interface Writer {
  /** `lost`: someone else wrote the Lease in between. */
  phase: 'new' | 'asked' | 'read' | 'lost' | 'admitted' | 'done';
  replica: number;
  age: number;
  /** What the replica knew before it read the holder's run. */
  look?: Knowledge | undefined;
  runs?: readonly HolderRun[] | undefined;
  namesake?: Situation['namesake'] | undefined;
  /** What is to be written, once it is decided. */
  claims?: Runs | undefined;
  /** Whether the Lease was read for this very look, and not only heard of. */
  isFresh?: boolean | undefined;
}

export interface State {
  lease: Lease | undefined;
  runs: RunState[];
  replicas: Knowledge[];
  writers: Writer[];
  /** How much has gone wrong so far; one thing does, in each of these worlds. */
  mishaps: number;
}

export const nothing: Knowledge = { version: 0, holders: 0, age: 0, seen: 0, dead: 0 };
/** The version of a Lease that has been written since: whatever is decided by it is a refusal, or a write that fails. */
export const stale = -1;
export const isStored = (run: RunState | undefined): boolean => run !== 'absent' && run !== 'gone';
export const isUnderWay = ({ phase }: Writer): boolean => phase !== 'new' && phase !== 'done';
export const isInGuard = (writer: Writer): boolean => isUnderWay(writer) && writer.phase !== 'admitted';
export function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new Error(`there is no item ${index}`);
  return item;
}

export function copyOf({ lease, runs, replicas, writers, mishaps }: State): State {
  return {
    lease: lease && { ...lease },
    runs: [...runs],
    replicas: replicas.map((replica) => ({ ...replica })),
    writers: writers.map((writer) => ({ ...writer })),
    mishaps,
  };
}

export function finish(writer: Writer): void {
  Object.assign(writer, { phase: 'done', replica: 0, age: 0 });
  writer.look = writer.runs = writer.namesake = writer.claims = writer.isFresh = undefined;
}

export function storedAmong(runs: readonly RunState[], before: Runs): Runs {
  return runs.reduce((all, run, i) => (isStored(run) ? add(all, i) : all), before);
}

export function lose(writer: Writer): void {
  writer.phase = 'lost';
  writer.look = writer.runs = writer.namesake = writer.claims = writer.isFresh = undefined;
}

export function runOf(run: RunState): HolderRun {
  if (run === 'active' || run === 'idle') return run;
  return run === 'over' || run === 'deleting' ? 'over' : 'absent';
}

/* A state as a short string: every part of it is small enough for a few bits of a character. */

const runStates: readonly RunState[] = ['absent', 'idle', 'active', 'over', 'deleting', 'gone'];
const holderRuns: readonly HolderRun[] = ['active', 'idle', 'over', 'absent'];
const phases: readonly Writer['phase'][] = ['new', 'asked', 'read', 'lost', 'admitted', 'done'];
const namesakes: readonly unknown[] = [undefined, 'none', 'being deleted', 'stored'];

const packed = (values: readonly number[], bits: number): number =>
  values.reduce((all, value) => (all << bits) | value, 0);

export function knowledgeCode({ version, holders, age, seen, dead }: Knowledge): number {
  return (((((((version + 1) << 4) | holders) << 2) | Math.min(age, 2)) << 4) | seen) * 2 + dead;
}

function writerCodes({ phase, replica, age, look, runs, namesake, claims, isFresh }: Writer): readonly number[] {
  const asked = (Number(isFresh === true) << 8) | (phases.indexOf(phase) << 4);
  const own = asked | (replica << 3) | (age << 2) | namesakes.indexOf(namesake);
  if (look === undefined) return [own];
  const read = runs === undefined ? 0 : packed([1, ...runs.map((run) => holderRuns.indexOf(run))], 2);
  return [own | 128, knowledgeCode(look), ((claims ?? 0) << 8) | read];
}

export function keyOf({ lease, runs, replicas, writers, mishaps }: State): string {
  const { version = 0, holders = 0, hasJumped = false } = lease ?? {};
  const world = (((version << 4) | holders) << 2) | (Number(hasJumped) << 1) | mishaps;
  const run = packed(
    runs.map((state) => runStates.indexOf(state)),
    3,
  );
  return String.fromCharCode(world, run, ...replicas.map(knowledgeCode), ...writers.flatMap(writerCodes));
}
