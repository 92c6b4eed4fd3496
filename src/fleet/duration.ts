/*
 * Durations as Go reads and writes them (time.ParseDuration and Duration.String), because KubeFleet decodes a waitTime
 * into metav1.Duration and writes it back into the status of a run.
 */

/** A duration that Go can hold, or why it cannot. */
export type ReadDuration =
  | { readonly is: 'read'; readonly nanoseconds: bigint }
  /** Not a duration at all. */
  | { readonly is: 'malformed' }
  /** A duration, but of more nanoseconds than an int64 can count. */
  | { readonly is: 'too long' };

const microsecond = 1_000n;
const millisecond = 1_000n * microsecond;
export const second = 1_000n * millisecond;
export const minute = 60n * second;
export const hour = 60n * minute;

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: microsecond,
  '\u00b5s': microsecond,
  '\u03bcs': microsecond,
  ms: millisecond,
  s: second,
  m: minute,
  h: hour,
};

/** The largest int64, in nanoseconds some 292 years. */
export const longestDuration = 2n ** 63n - 1n;

/** Reads a duration as Go's time.ParseDuration does, to the nanosecond. */
export function readDuration(text: string): ReadDuration {
  const isNegative = text.startsWith('-');
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return { is: 'read', nanoseconds: 0n };
  const parts = componentsOf(unsigned);
  if (parts === undefined) return { is: 'malformed' };
  const total = parts.reduce((sum, part) => sum + part, 0n);
  if (total > longestDuration + (isNegative ? 1n : 0n)) return { is: 'too long' };
  return { is: 'read', nanoseconds: isNegative ? -total : total };
}

/** The nanoseconds of each number with its unit; undefined if some part of the text is neither. */
function componentsOf(text: string): readonly bigint[] | undefined {
  const parts: bigint[] = [];
  let end = 0;
  // Go takes the text up to the next digit or dot as the unit.
  for (const [all, whole = '', fraction = '', name = ''] of text.matchAll(/(\d*)(?:\.(\d*))?([^\d.]+)/gy)) {
    const unit = Object.hasOwn(units, name) ? units[name] : undefined;
    if (unit === undefined || whole + fraction === '') return undefined;
    parts.push(wholeOf(whole) * unit + fractionOf(fraction, unit));
    end += all.length;
  }
  return end === text.length && end > 0 ? parts : undefined;
}

/** Whole numbers of more digits than this are too long in any unit, and a BigInt of a million digits is slow to make. */
const mostDigits = 19;

function wholeOf(digits: string): bigint {
  const significant = digits.replace(/^0+/, '');
  return significant.length > mostDigits ? 2n ** 64n : BigInt(significant);
}

/** Go multiplies the digits that fit into an int64 as floating point numbers, and cuts what is below a nanosecond. */
function fractionOf(digits: string, unit: bigint): bigint {
  let fitting = 0n;
  let scale = 1;
  for (const digit of digits.slice(0, mostDigits)) {
    const next = fitting * 10n + BigInt(digit);
    if (next > longestDuration + 1n) break;
    fitting = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(fitting) * (Number(unit) / scale)));
}

/** Writes a duration as Go's Duration.String does: `1h0m0s`, and below one second in units of its own: `500ms`. */
export function formatDuration(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '0s';
  if (nanoseconds < 0n) return `-${formatDuration(-nanoseconds)}`;
  if (nanoseconds < microsecond) return `${String(nanoseconds)}ns`;
  if (nanoseconds < millisecond) return `${decimal(nanoseconds, microsecond)}\u00b5s`;
  if (nanoseconds < second) return `${decimal(nanoseconds, millisecond)}ms`;
  const hours = nanoseconds < hour ? '' : `${String(nanoseconds / hour)}h`;
  const minutes = nanoseconds < minute ? '' : `${String((nanoseconds % hour) / minute)}m`;
  return `${hours}${minutes}${decimal(nanoseconds % minute, second)}s`;
}

/** A count of units with as many decimals as it needs. */
function decimal(nanoseconds: bigint, unit: bigint): string {
  const decimals = String(nanoseconds % unit).padStart(String(unit).length - 1, '0');
  return `${String(nanoseconds / unit)}.${decimals}`.replace(/\.?0+$/, '');
}
