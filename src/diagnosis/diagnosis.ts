import type { Subject } from '../engine/verdict.js';

/** Of equal health the gravest first: what stands half-way comes before what has changed nothing yet. */
export const states = [
  'aborted',
  'stuck',
  'stopping',
  'removing clusters',
  'under way',
  'waiting for an approval',
  'waiting for a time to pass',
  'waiting',
  'stopped',
  'being deleted',
  'no status',
  'failed to initialize',
  'not started',
  'succeeded',
] as const;

/** What a run is doing, in the words of the report. */
export type State = (typeof states)[number];

/** The worst first. */
export const healths = ['wrong', 'waiting', 'well'] as const;

/** Whether somebody has to do something about it; who waits as planned is not wrong. */
export type Health = (typeof healths)[number];

/** What a cause rests on: a field of an object, as it was read. */
export interface Evidence {
  readonly object: { readonly kind: string; readonly namespace: string | undefined; readonly name: string };
  /** `status.conditions[Applied]` */
  readonly field: string;
  readonly value: string;
  /** Since when it has this value, where that is known. */
  readonly since?: string;
}

/** One reason why a run does not go on, or is where it is. */
export interface Cause {
  /** Lower case, no full stop. */
  readonly what: string;
  readonly evidence: readonly Evidence[];
  /** A sentence, then lines to paste; empty where nothing is to be done. */
  readonly fix: string;
  /** The rule that found it, where a rule did. */
  readonly rule?: string;
}

/** What somebody else's last words name, told with what is there now. */
export type Told = Pick<Cause, 'what' | 'evidence'> & { readonly fix?: string };

export type ClusterState = 'updated' | 'updating' | 'stuck' | 'failed' | 'ahead';

export interface ClusterProgress {
  readonly name: string;
  readonly state: ClusterState;
}

export interface GateProgress {
  /** `approval`, `wait 1h` */
  readonly what: string;
  readonly state: 'passed' | 'open' | 'ahead';
}

export interface StageProgress {
  readonly name: string;
  readonly clusters: readonly ClusterProgress[];
  readonly before: readonly GateProgress[];
  readonly after: readonly GateProgress[];
}

/** What is the matter with one run. */
export interface Diagnosis {
  readonly run: Subject;
  readonly state: State;
  readonly health: Health;
  /** What it is doing, in one sentence. */
  readonly doing: string;
  /** In order of likelihood; empty where all is well. */
  readonly causes: readonly Cause[];
  /** What nobody should wait for. */
  readonly expect: readonly string[];
  /** What would have said more, and could not be read. */
  readonly unseen: readonly string[];
  readonly stages: readonly StageProgress[];
  readonly removal: readonly ClusterProgress[];
}
