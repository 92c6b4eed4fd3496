import { parseJson } from '../../fleet/json.js';
import type { Location } from './places.js';

/** A value of a text of JSON. */
export interface JsonValue {
  readonly json: unknown;
  /** The part of the whole text that it stands in, and where that begins. */
  readonly text: string;
  readonly start: Location;
}

/**
 * The values of a text that is JSON: one, or several one after the other, as `jq` prints them and kubectl reads them
 * (apimachinery, YAMLOrJSONDecoder). Undefined where the text is something else: YAML may begin with a brace as well.
 */
export function valuesOf(text: string): readonly JsonValue[] | undefined {
  if (!/^\s*\{/.test(text)) return undefined;
  const whole = parseJson(text);
  if (whole !== undefined) return [{ json: whole, text, start: { line: 1, column: 1 } }];
  const values: JsonValue[] = [];
  const at = { line: 1, column: 1 };
  for (const part of objectsIn(text)) {
    const json = parseJson(part);
    if (json === undefined) return undefined;
    values.push({ json, text: part, start: { ...at } });
    const lines = part.split('\n');
    const last = (lines.at(-1) ?? '').length;
    at.column = lines.length === 1 ? at.column + last : last + 1;
    at.line += lines.length - 1;
  }
  return values;
}

const signs = /[{}"]/g;
const inText = /["\\]/g;

/** The text cut behind each outermost brace that closes; blanks at its end belong to the last part. */
function* objectsIn(text: string): Generator<string> {
  const lastEnd = text.trimEnd().length;
  let from = 0;
  let depth = 0;
  for (let at = nextOf(signs, text, 0); at !== undefined; at = nextOf(signs, text, at)) {
    const sign = text[at++];
    if (sign === '"') at = endOfText(text, at);
    else depth += sign === '{' ? 1 : -1;
    if (sign !== '}' || depth > 0 || at >= lastEnd) continue;
    yield text.slice(from, at);
    [from, depth] = [at, 0];
  }
  yield text.slice(from);
}

function nextOf(wanted: RegExp, text: string, from: number): number | undefined {
  wanted.lastIndex = from;
  return wanted.exec(text)?.index;
}

function endOfText(text: string, from: number): number {
  let at = nextOf(inText, text, from);
  while (at !== undefined && text[at] === '\\') at = nextOf(inText, text, at + 2);
  return at === undefined ? text.length : at + 1;
}
