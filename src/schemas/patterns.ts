import { quoted } from '../fleet/quoted.js';
import { base64 } from './json-schema.js';
import { fillIn, hasVariable } from './placeholders.js';
import type { ShapeViolation } from './violation.js';

type Problem = Pick<ShapeViolation, 'message' | 'fix' | 'edit'>;

interface Known {
  /** What a text of this pattern is, after "is not". */
  readonly is: string;
  /** How to write it right, where that can be told. */
  readonly write: (text: string) => string | undefined;
}

/** What people see instead of a regular expression. */
const known: Readonly<Record<string, Known>> = {
  '^[a-z0-9]+$': {
    is: 'made of lower-case letters and digits alone (a-z, 0-9)',
    write: (text) =>
      text
        .slice(0, 253)
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, '')
        .slice(0, 63),
  },
  '^(100|[1-9][0-9]?)%$': { is: 'a whole number, or a share from "1%" to "100%"', write: share },
  '^(?:(?:0|[1-9][0-9]*)(\\.[0-9]+)?(?:s|m|h))+$': {
    is: 'a time of hours, minutes and seconds without needless zeros, such as 1h30m',
    write: () => undefined,
  },
  [base64]: { is: 'bytes in base64', write: () => undefined },
  '^((100|[0-9]{1,2})%|[0-9]+)$': { is: 'a whole number, or a share from "0%" to "100%"', write: share },
};

function share(text: string): string | undefined {
  const [, digits] = /^ *([0-9]{1,2}|100) *%? *$/.exec(text) ?? [];
  return digits === undefined ? undefined : `${digits}%`;
}

/** What is wrong with a text that does not match a pattern of the API. */
export function patternProblem(pattern: string, text: string): Problem {
  const { is, write } = known[pattern] ?? { is: `spelled as the API demands: ${pattern}`, write: () => undefined };
  if (hasVariable(text)) return { message: `${quoted(text)} is not ${is}`, fix: fillIn };
  const right = write(text);
  const message = `${quoted(text)} is not ${is}`;
  if (right === undefined || right === '') return { message, fix: `Write what is ${is}.` };
  return { message, fix: `Write ${quoted(right)}.`, edit: { of: 'value', to: right } };
}
