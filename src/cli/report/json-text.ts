import { visibleLines } from '../../fleet/quoted.js';

/** JSON for programs, that can also be shown on a terminal. */
export function jsonText(value: unknown): string {
  return `${visibleLines(JSON.stringify(value, null, 2))}\n`;
}
