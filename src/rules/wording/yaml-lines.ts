import { isObject } from '../../fleet/json.js';
import { yamlText } from './manifest.js';

/** A JSON value as lines of YAML, ready to paste below a fix; lists of plain values stay on one line. */
export function yamlLines(value: unknown): readonly string[] {
  const inOneLine = flow(value);
  if (inOneLine !== undefined) return [inOneLine];
  if (Array.isArray(value)) return value.flatMap((item) => hang('- ', yamlLines(item)));
  return Object.entries(value as object).flatMap(([key, inner]) => field(yamlText(key), inner));
}

function field(key: string, value: unknown): readonly string[] {
  const inOneLine = flow(value);
  if (inOneLine !== undefined) return [`${key}: ${inOneLine}`];
  return [`${key}:`, ...yamlLines(value).map((line) => `  ${line}`)];
}

/** What needs no line of its own: plain values, lists of them, and what is empty. */
function flow(value: unknown): string | undefined {
  if (Array.isArray(value)) {
    const isPlain = value.every((item) => !Array.isArray(item) && !isObject(item));
    return isPlain ? `[${value.map(flow).join(', ')}]` : undefined;
  }
  if (isObject(value)) return Object.keys(value).length === 0 ? '{}' : undefined;
  return typeof value === 'string' ? yamlText(value) : JSON.stringify(value);
}

function hang(mark: string, [first = '', ...rest]: readonly string[]): readonly string[] {
  return [`${mark}${first}`, ...rest.map((line) => `${' '.repeat(mark.length)}${line}`)];
}
