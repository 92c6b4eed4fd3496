import type { Path } from './path.js';

type Fields = Readonly<Record<string, unknown>>;

/** What puts a manifest right, told so that its text can be changed there and stay as it is everywhere else. */
export type Edit = { /** The place that is told, unless given. */ readonly at?: Path } & (
  | { readonly of: 'key'; readonly to: string }
  /** Another value; a field that is missing is added. */
  | { readonly of: 'value'; readonly to: unknown }
  /** The same value as a text. */
  | { readonly of: 'quotes' }
  /** An item of a list as several, alike but for these fields; none removes it. */
  | { readonly of: 'item'; readonly copies: readonly Fields[] }
);

/** What else an edit changes than the spelling: nobody but the author can say whether that is wanted. */
export type Risk = 'clusters' | 'names' | 'start';

const risks: readonly (readonly [at: RegExp, risk: Risk])[] = [
  [/^metadata\.(?:name|generateName|namespace)$/, 'names'],
  [/^spec\.stages\.name$/, 'names'],
  [/^spec\.state$/, 'start'],
  [/^spec\.stages(?:$|\.labelSelector)/, 'clusters'],
  [/^spec\.policy(?:$|\.)/, 'clusters'],
];

/** Undefined where the edit says what its author has said, in the words of the API. */
export function riskOf(path: Path, { of }: Edit): Risk | undefined {
  if (of === 'key' || of === 'quotes') return undefined;
  const place = path.filter((step) => typeof step === 'string').join('.');
  return risks.find(([at]) => at.test(place))?.[1];
}
