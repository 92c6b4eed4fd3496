import { instantsOf, isTimeZone, wallAt } from '../fleet/calendar.js';
import { quoted } from '../fleet/quoted.js';

/** A time in which runs are not started, once or each week, as the operator writes it. */
export interface Freeze {
  readonly name: string;
  /** `2026-12-24T18:00`, or each week `Fri 18:00`; both ends in the same form. */
  readonly from: string;
  readonly until: string;
  readonly timeZone: string;
  /** Why, for whoever is refused. */
  readonly reason?: string;
  /** Only runs in these; all, with those of cluster scope, where it is absent. */
  readonly namespaces?: readonly string[];
  /** Only runs of placements that have all these labels. */
  readonly placementLabels?: Readonly<Record<string, string>>;
}

/** From an instant up to, but not including, another. */
interface Span {
  readonly from: number;
  readonly until: number;
}

const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const dayMilliseconds = 86_400_000;
const week = 7 * dayMilliseconds;

/** The forms of `from` and `until`; Helm reads them too, whose patterns know no lookahead. */
export const freezePattern =
  '^([0-9]{4}-[0-9]{2}-[0-9]{2}T|(Mon|Tue|Wed|Thu|Fri|Sat|Sun) )([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9])?$';

/** Why a freeze cannot be, by the key that is wrong; undefined where it can. */
export function freezeProblem({
  from,
  until,
  timeZone,
}: Freeze): readonly [key: keyof Freeze, why: string] | undefined {
  if (!isTimeZone(timeZone)) return ['timeZone', `${quoted(timeZone)} is no time zone such as Europe/Berlin`];
  const [start, end] = [weeklyOf(from), weeklyOf(until)];
  if ((start === undefined) !== (end === undefined))
    return ['until', 'from and until are both dates, or both days of the week'];
  if (start !== undefined) return start === end ? ['until', 'it ends when it begins'] : undefined;
  for (const [key, text] of [
    ['from', from],
    ['until', until],
  ] as const) {
    if (dateOf(text) === undefined) return [key, `${quoted(text)} is no date of the calendar`];
  }
  return spanOf({ from, until, timeZone }) === undefined ? ['until', 'it ends before it begins'] : undefined;
}

/** The freezes that hold at a moment. */
export function freezesAt(freezes: readonly Freeze[], now: number): readonly Freeze[] {
  return freezes.filter((freeze) => spanAt(freeze, now) !== undefined);
}

/** More steps than this lead beyond a year, where freezes follow each other by the week. */
const mostSteps = 60;

/** When none of them holds any more; undefined where that is not in sight. */
export function endOfFreezes(freezes: readonly Freeze[], now: number): number | undefined {
  let at = now;
  for (let step = 0; step < mostSteps; step++) {
    const ends = freezes.flatMap((freeze) => spanAt(freeze, at)?.until ?? []);
    if (ends.length === 0) return at;
    at = Math.max(...ends);
  }
  return undefined;
}

/** The time around an instant in which a freeze holds. */
function spanAt(freeze: Freeze, instant: number): Span | undefined {
  const spans = weeklyOf(freeze.from) === undefined ? [spanOf(freeze)] : weeklySpans(freeze, instant);
  return spans.find((span) => span !== undefined && span.from <= instant && instant < span.until);
}

type Times = Pick<Freeze, 'from' | 'until' | 'timeZone'>;

function spanOf({ from, until, timeZone }: Times): Span | undefined {
  const [start, end] = [dateOf(from), dateOf(until)];
  if (start === undefined || end === undefined) return undefined;
  return spanBetween(start, end, timeZone);
}

/** Where clocks show an end twice, or never, a freeze is longer rather than shorter. */
function spanBetween(start: number, end: number, timeZone: string): Span | undefined {
  const span = { from: instantsOf(start, timeZone).first, until: instantsOf(end, timeZone).last };
  return span.from < span.until ? span : undefined;
}

/** Those that began this week or the one before; one of them holds, if any does. */
function weeklySpans({ from, until, timeZone }: Times, instant: number): readonly (Span | undefined)[] {
  const [start = 0, end = 0] = [weeklyOf(from), weeklyOf(until)];
  const length = (end - start + week) % week;
  const wall = wallAt(instant, timeZone);
  const midnight = wall - (wall % dayMilliseconds);
  const sunday = midnight - new Date(wall).getUTCDay() * dayMilliseconds;
  return [sunday, sunday - week].map((first) => spanBetween(first + start, first + start + length, timeZone));
}

/** Milliseconds since the beginning of Sunday; undefined for a date. */
function weeklyOf(text: string): number | undefined {
  const [, name = '', time = ''] = /^([A-Z][a-z]{2}) (.*)$/.exec(text) ?? [];
  const index = (days as readonly string[]).indexOf(name);
  return index < 0 ? undefined : index * dayMilliseconds + timeOfDay(time);
}

function timeOfDay(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.split(':').map(Number);
  return ((hours * 60 + minutes) * 60 + seconds) * 1000;
}

/** Undefined for 30 February, which Date would take for a day in March. */
function dateOf(text: string): number | undefined {
  const [date = '', time = ''] = text.split('T');
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date);
  return isDay ? midnight + timeOfDay(time) : undefined;
}
