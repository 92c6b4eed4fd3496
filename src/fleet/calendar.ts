/*
 * Calendar arithmetic by time zones. A wall time is what clocks of a zone show, as milliseconds: those that UTC would need
 * to show the same. Days and months are then numbers, and leap days come by themselves.
 */

const day = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** There are some hundred zones; to make a format takes a hundred times as long as to use it. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const fields = {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  } as const;
  const format = new Intl.DateTimeFormat('en-US-u-ca-gregory-nu-latn', { timeZone, hourCycle: 'h23', ...fields });
  formats.set(timeZone, format);
  return format;
}

export function isTimeZone(name: string): boolean {
  try {
    formatOf(name);
    return true;
  } catch {
    return false;
  }
}

/** What clocks of a zone show at an instant, to the second. */
export function wallAt(instant: number, timeZone: string): number {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(instant)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const field = (name: Intl.DateTimeFormatPartTypes): number => parts.get(name) ?? 0;
  return Date.UTC(field('year'), field('month') - 1, field('day'), field('hour'), field('minute'), field('second'));
}

/** `last` is later than `first` where clocks show a time twice; where they skip it, both stand beside the gap. */
export interface Instants {
  readonly first: number;
  readonly last: number;
}

/** When clocks of a zone show a time. No zone changes its clocks twice within two days. */
export function instantsOf(wall: number, timeZone: string): Instants {
  const offsets = [wall - day, wall + day].map((near) => wallAt(near, timeZone) - near);
  const candidates = offsets.map((offset) => wall - offset);
  const shown = candidates.filter((instant) => wallAt(instant, timeZone) === wall);
  const found = shown.length === 0 ? candidates : shown;
  return { first: Math.min(...found), last: Math.max(...found) };
}

/** `2026-11-30T06:00 Europe/Berlin`, with seconds where there are any. */
export function wallText(instant: number, timeZone: string): string {
  const text = new Date(wallAt(instant, timeZone)).toISOString();
  return `${text.slice(0, text.endsWith(':00.000Z') ? 16 : 19)} ${timeZone}`;
}
