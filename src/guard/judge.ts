import type { Change } from '../engine/change.js';
import type { Verdict } from '../engine/verdict.js';
import type { Requester } from '../hub/access-answers.js';

export type { Requester };

/** What a judge is told beside the change. */
export interface JudgeOptions {
  /** In milliseconds of a clock that does not jump. */
  readonly deadline: number;
  /** Who writes, where somebody does. */
  readonly requester?: Requester;
  /** Rules that must not refuse this one write. */
  readonly exempt?: ReadonlySet<string>;
}

/** Comes to a verdict about one change before its deadline. Every part of a guard that judges is one of these. */
export type Judge = (change: Change, options: JudgeOptions) => Verdict | Promise<Verdict>;
