import { meantTime } from '../fleet/meant-time.js';
import { quoted } from '../fleet/quoted.js';
import { base64, kindPattern } from './json-schema.js';
import { fillIn, hasVariable } from './placeholders.js';
import type { ShapeViolation } from './violation.js';

type Problem = Pick<ShapeViolation, 'message' | 'fix' | 'edit'>;

interface Known {
  /** What a text of this pattern is, after "is not" and after "Write". */
  readonly is: string;
  /** How to write it right, where that can be told. */
  readonly write?: (text: string) => string | undefined;
  /** What to do where only its writer can know. */
  readonly ask?: (text: string) => Pick<Problem, 'fix' | 'edit'> | undefined;
}

/** What people see instead of a regular expression. */
const known: Readonly<Record<string, Known>> = {
  '^[a-z0-9]+$': {
    is: 'a name of lower-case letters and digits alone (a-z, 0-9)',
    write: (text) =>
      text
        .slice(0, 253)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '')
        .slice(0, 63),
  },
  '^(100|[1-9][0-9]?)%$': { is: 'a whole number, or a share from "1%" to "100%"', write: share(1), ask: bareNumber },
  '^(?:(?:0|[1-9][0-9]*)(\\.[0-9]+)?(?:s|m|h))+$': {
    is: 'a time of hours, minutes and seconds without needless zeros, such as 1h30m',
    write: meantTime,
    ask: withUnit,
  },
  [base64]: { is: 'bytes in base64' },
  [kindPattern]: { is: 'the name of a kind: letters, digits and "-"' },
  '^((100|[0-9]{1,2})%|[0-9]+)$': { is: 'a whole number, or a share from "0%" to "100%"', write: share(0) },
};

/** A share with blanks, or zeros, that do not belong there. */
function share(least: number): (text: string) => string | undefined {
  return (text) => {
    const [, digits] = /^ *0*([0-9]+) *% *$/.exec(text) ?? [];
    const percent = Number(digits);
    return percent >= least && percent <= 100 ? `${String(percent)}%` : undefined;
  };
}

/** A number in quotes, which the API takes for a share without its sign. */
function bareNumber(text: string): Pick<Problem, 'fix' | 'edit'> | undefined {
  const number = Number(/^ *([0-9]{1,9}) *$/.exec(text)?.[1] ?? 0);
  if (number === 0) return undefined;
  const share = quoted(`${String(number)}%`);
  const orShare = number > 100 ? '' : `, or ${share} for a share of them`;
  const fix = `Write ${String(number)} without quotes for a number of clusters${orShare}.`;
  return { fix, edit: { of: 'value', to: number } };
}

function withUnit(text: string): Pick<Problem, 'fix'> | undefined {
  const number = /^0*([0-9]{1,9})$/.exec(text)?.[1];
  if (number === undefined) return undefined;
  const [seconds = '', minutes = '', hours = ''] = ['s', 'm', 'h'].map((unit) => quoted(`${number}${unit}`));
  return { fix: `Add the unit: ${seconds}, ${minutes} or ${hours}.` };
}

/** What is wrong with a text that does not match a pattern of the API. */
export function patternProblem(pattern: string, text: string): Problem {
  const { is, write, ask } = known[pattern] ?? { is: `a text of the form ${pattern}` };
  const message = `${quoted(text)} is not ${is}`;
  if (hasVariable(text)) return { message, fix: fillIn };
  const right = write?.(text) ?? '';
  if (right !== '' && new RegExp(pattern, 'u').test(right)) {
    return { message, fix: `Write ${quoted(right)}.`, edit: { of: 'value', to: right } };
  }
  return { message, fix: `Write ${is}.`, ...ask?.(text) };
}
