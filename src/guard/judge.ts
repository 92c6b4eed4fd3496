import type { Change } from '../engine/change.js';
import type { Verdict } from '../engine/verdict.js';

/**
 * Comes to a verdict about one change before its deadline, told in milliseconds of a clock that does not jump. Every part
 * of a guard that judges is one of these.
 */
export type Judge = (change: Change, options: { readonly deadline: number }) => Verdict | Promise<Verdict>;
