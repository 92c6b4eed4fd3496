import { durationText } from '../fleet/plan-view.js';

/** Milliseconds since a time that somebody wrote; undefined where it is none. */
export function ageOf(time: string | undefined, now: number): number | undefined {
  const at = Date.parse(time ?? '');
  return Number.isFinite(at) ? Math.max(0, now - at) : undefined;
}

/** `5m 43s`, or nothing to say. */
export function ageText(time: string | undefined, now: number): string | undefined {
  const age = ageOf(time, now);
  return age === undefined ? undefined : spanText(age);
}

export function spanText(milliseconds: number): string {
  return durationText(Math.round(milliseconds / 1000));
}

/** A moment as people paste it into a calendar: `2026-11-18 12:00:19 UTC`. */
export function momentText(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export const minutes = 60_000;

/** KubeFleet calls a cluster stuck after this (updaterun/execution.go updateRunStuckThreshold). */
export const untilStuck = 5 * minutes;

/** The longest that KubeFleet takes to look again after errors: the back-off of its queue ends at 1000 s. */
export const longestBackOff = 17 * minutes;
