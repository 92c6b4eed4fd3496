import { describe, expect, test } from '@jest/globals';
import { endOfFreezes, freezeProblem, freezesAt, type Freeze } from '../../src/engine/freeze.js';
import { instantsOf, wallText } from '../../src/fleet/calendar.js';

const freeze = (from: string, until: string, timeZone = 'UTC'): Freeze => ({ name: 'a', from, until, timeZone });
const at = (text: string): number => Date.parse(text);
const holdsAt = (one: Freeze, time: string): boolean => freezesAt([one], at(time)).length === 1;
const endOf = (time: string, ...all: Freeze[]): string | undefined => {
  const end = endOfFreezes(all, at(time));
  return end === undefined ? undefined : new Date(end).toISOString().replace('.000Z', 'Z');
};

describe('a freeze between two dates', () => {
  const holidays = freeze('2026-12-24T18:00', '2027-01-02T06:00:30', 'Europe/Berlin');

  test.each([
    ['2026-12-24T16:59:59Z', false],
    ['2026-12-24T17:00:00Z', true],
    ['2027-01-02T05:00:29Z', true],
    ['2027-01-02T05:00:30Z', false],
  ])('at %s holds: %s', (time, expected) => {
    expect(holdsAt(holidays, time)).toBe(expected);
  });

  test('ends when its zone says so', () => {
    expect(endOf('2026-12-31T00:00:00Z', holidays)).toBe('2027-01-02T05:00:30Z');
  });

  test('on a leap day is a day long', () => {
    const leap = freeze('2028-02-29T00:00', '2028-03-01T00:00', 'Asia/Tokyo');
    expect([holdsAt(leap, '2028-02-28T14:59:59Z'), holdsAt(leap, '2028-02-28T15:00:00Z')]).toEqual([false, true]);
    expect(endOf('2028-02-29T00:00:00Z', leap)).toBe('2028-02-29T15:00:00Z');
  });
});

describe('a weekly freeze', () => {
  const weekend = freeze('Fri 18:00', 'Mon 06:00', 'Europe/Berlin');

  test.each([
    ['2026-11-20T16:59:59Z', false],
    ['2026-11-20T17:00:00Z', true],
    ['2026-11-21T12:00:00Z', true],
    // Over the end of the week.
    ['2026-11-22T12:00:00Z', true],
    ['2026-11-23T04:59:59Z', true],
    ['2026-11-23T05:00:00Z', false],
    ['2026-11-18T12:00:00Z', false],
  ])('at %s holds: %s', (time, expected) => {
    expect(holdsAt(weekend, time)).toBe(expected);
  });

  test('goes by the day of its zone', () => {
    const monday = freeze('Mon 00:00', 'Mon 12:00', 'Pacific/Auckland');
    expect([holdsAt(monday, '2026-07-05T13:00:00Z'), holdsAt(monday, '2026-07-06T13:00:00Z')]).toEqual([true, false]);
  });

  test('over the new year, and over a leap day', () => {
    const nights = freeze('Thu 22:00', 'Fri 06:00');
    expect(holdsAt(nights, '2027-01-01T03:00:00Z')).toBe(true);
    expect(endOf('2024-02-29T23:00:00Z', nights)).toBe('2024-03-01T06:00:00Z');
  });

  test('is an hour longer, or shorter, where clocks change in it', () => {
    // 25 October 2026: 03:00 CEST becomes 02:00 CET. 29 March 2026: 02:00 CET becomes 03:00 CEST.
    expect(endOf('2026-10-24T12:00:00Z', weekend)).toBe('2026-10-26T05:00:00Z');
    expect(endOf('2026-03-28T12:00:00Z', weekend)).toBe('2026-03-30T04:00:00Z');
  });

  test('that ends in the hour that clocks show twice ends with the second, and holds all through', () => {
    const night = freeze('Sat 22:00', 'Sun 02:30', 'Europe/Berlin');
    for (const time of ['2026-10-25T00:29:59Z', '2026-10-25T00:45:00Z', '2026-10-25T01:29:59Z']) {
      expect(holdsAt(night, time)).toBe(true);
    }
    expect(endOf('2026-10-25T00:00:00Z', night)).toBe('2026-10-25T01:30:00Z');
  });

  test('that begins in that hour begins with the first', () => {
    const sunday = freeze('Sun 02:30', 'Sun 12:00', 'Europe/Berlin');
    expect([holdsAt(sunday, '2026-10-25T00:29:59Z'), holdsAt(sunday, '2026-10-25T00:30:00Z')]).toEqual([false, true]);
  });

  test('that begins or ends in an hour that clocks skip is longer, not shorter', () => {
    // 02:30 is not on 29 March 2026: the clocks go from 01:59:59 CET (00:59:59Z) to 03:00 CEST.
    const begins = freeze('Sun 02:30', 'Sun 12:00', 'Europe/Berlin');
    const ends = freeze('Sat 22:00', 'Sun 02:30', 'Europe/Berlin');
    expect(holdsAt(begins, '2026-03-29T01:00:00Z')).toBe(true);
    expect(endOf('2026-03-29T00:00:00Z', ends)).toBe('2026-03-29T01:30:00Z');
  });

  test('goes by zones whose clocks change at midnight, or by half an hour', () => {
    // Lord Howe: 30 minutes, on 4 October 2026 at 02:00. Beirut: at midnight, on 29 March 2026.
    expect(endOf('2026-10-03T00:00:00Z', freeze('Sat 00:00', 'Sun 06:00', 'Australia/Lord_Howe'))).toBe(
      '2026-10-03T19:00:00Z',
    );
    const beirut = freeze('Sun 00:00', 'Sun 06:00', 'Asia/Beirut');
    expect([holdsAt(beirut, '2026-03-28T22:30:00Z'), endOf('2026-03-28T22:30:00Z', beirut)]).toEqual([
      true,
      '2026-03-29T03:00:00Z',
    ]);
  });
});

describe('several freezes', () => {
  const weekend = freeze('Fri 18:00', 'Mon 06:00');
  const sale = freeze('2026-11-23T05:00', '2026-11-27T19:00');

  test('that overlap, or follow each other, end with the last of them', () => {
    expect(endOf('2026-11-21T00:00:00Z', weekend, sale)).toBe('2026-11-30T06:00:00Z');
    expect(endOf('2026-11-21T00:00:00Z', sale, weekend)).toBe('2026-11-30T06:00:00Z');
    expect(
      endOf(
        '2026-11-21T00:00:00Z',
        freeze('2026-11-20T00:00', '2026-11-22T00:00'),
        freeze('2026-11-22T00:00', '2026-11-23T00:00'),
      ),
    ).toBe('2026-11-23T00:00:00Z');
  });

  test('of different zones go by their own clocks', () => {
    const east = freeze('2026-11-21T00:00', '2026-11-22T00:00', 'Asia/Tokyo');
    const west = freeze('2026-11-21T00:00', '2026-11-22T00:00', 'America/Los_Angeles');
    expect(endOf('2026-11-20T16:00:00Z', east)).toBe('2026-11-21T15:00:00Z');
    expect(endOf('2026-11-20T16:00:00Z', east, west)).toBe('2026-11-22T08:00:00Z');
  });

  test('that leave no time between them have no end in sight', () => {
    expect(endOf('2026-11-21T00:00:00Z', weekend, freeze('Mon 06:00', 'Fri 18:00'))).toBeUndefined();
  });

  test('that do not hold leave the moment as it is', () => {
    expect(endOf('2026-11-18T00:00:00Z', weekend)).toBe('2026-11-18T00:00:00Z');
  });
});

describe('what cannot be is told by its key', () => {
  test.each<[string, Freeze, ReturnType<typeof freezeProblem>]>([
    [
      'a zone',
      freeze('Fri 18:00', 'Mon 06:00', 'Europe/Bern'),
      ['timeZone', '"Europe/Bern" is no time zone such as Europe/Berlin'],
    ],
    [
      'a mixture',
      freeze('Fri 18:00', '2026-11-30T06:00'),
      ['until', 'from and until are both dates, or both days of the week'],
    ],
    ['no length', freeze('Fri 18:00', 'Fri 18:00'), ['until', 'it ends when it begins']],
    [
      'an end before the beginning',
      freeze('2026-11-30T06:00', '2026-11-30T06:00'),
      ['until', 'it ends before it begins'],
    ],
    [
      '30 February',
      freeze('2026-02-30T06:00', '2026-11-30T06:00'),
      ['from', '"2026-02-30T06:00" is no date of the calendar'],
    ],
    [
      '29 February of a common year',
      freeze('2026-02-01T06:00', '2026-02-29T06:00'),
      ['until', '"2026-02-29T06:00" is no date of the calendar'],
    ],
    [
      'month 13',
      freeze('2026-13-01T06:00', '2026-11-30T06:00'),
      ['from', '"2026-13-01T06:00" is no date of the calendar'],
    ],
  ])('%s', (_name, one, expected) => {
    expect(freezeProblem(one)).toEqual(expected);
  });

  test('what can be is', () => {
    for (const one of [
      freeze('Fri 18:00', 'Mon 06:00:30', 'Etc/GMT+5'),
      freeze('2028-02-29T00:00', '2028-03-01T00:00'),
    ]) {
      expect(freezeProblem(one)).toBeUndefined();
    }
  });
});

test('every minute of two years of a zone is shown at the instant it is found at', () => {
  for (const zone of ['Europe/Berlin', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/St_Johns']) {
    for (
      let wall = at('2026-01-01T00:07:00Z');
      wall < at('2028-01-01T00:00:00Z');
      wall += 17 * 3_600_000 + 13 * 60_000
    ) {
      const { first, last } = instantsOf(wall, zone);
      expect([0, 1_800_000, 3_600_000]).toContain(last - first);
      const text = new Date(wall).toISOString().slice(0, 16);
      if (first === last) expect(wallText(first, zone)).toBe(`${text} ${zone}`);
    }
  }
});
