import { quoted } from './quoted.js';

/** Where in an object something is: field names and list positions from the root. */
export type Path = readonly (string | number)[];

const plainField = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Writes a path the way people and kubectl do: `spec.stages[1].labelSelector`. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${String(step)}]`;
    if (!plainField.test(step)) return `${text}[${quoted(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** The order of a document as people read it: `stages[2]` before `stages[10]`, the whole before its parts. */
export function comparePaths(a: Path, b: Path): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const order = compareSteps(a[at] ?? 0, b[at] ?? 0);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

/** Numbers by size, texts by code unit, numbers first. */
export function compareSteps(a: string | number, b: string | number): number {
  if (a === b) return 0;
  if (typeof a !== typeof b) return typeof a === 'number' ? -1 : 1;
  return a < b ? -1 : 1;
}
