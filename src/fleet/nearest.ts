/**
 * How many letters must be added, dropped or replaced, or neighbours be swapped, to turn one word into the other
 * (optimal string alignment).
 */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const replaced = at(row, j) + (letter === other ? 0 : 1);
      const isSwapped = j > 0 && letter === b[j - 1] && a[i - 1] === other;
      const swapped = isSwapped ? at(before, j - 1) + 1 : Infinity;
      next.push(Math.min(replaced, swapped, at(row, j + 1) + 1, at(next, j) + 1));
    }
    [before, row] = [row, next];
  }
  return row.at(-1) ?? 0;
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0;
}

/** How far a candidate is from a word; undefined where that is no slip of the finger any more. */
function slipOf(word: string, candidate: string): number | undefined {
  // A third of the letters wrong is too much. Hostile lengths are cut off before they cost.
  const allowed = Math.max(1, Math.floor(word.length / 3));
  if (Math.abs(candidate.length - word.length) > allowed) return undefined;
  const far = distance(word.toLowerCase(), candidate.toLowerCase());
  return far <= allowed ? far : undefined;
}

export function isNear(word: string, candidate: string): boolean {
  return slipOf(word, candidate) !== undefined;
}

/** The candidate that somebody who wrote `word` may have meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const near = [...candidates]
    .map((candidate) => ({ candidate, far: slipOf(word, candidate) ?? Infinity }))
    .filter(({ far }) => far < Infinity)
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1));
  return near[0]?.candidate;
}

/** No name of ours is longer, and what is compared word by word must not cost. */
const longestCompared = 63;

/**
 * The one candidate that has all words of this name, or all of whose words it has, in this order: `snapshotIndex` for
 * `resourceSnapshotIndex`, `Running` for `Run`.
 */
export function likelyMeant(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestCompared) return undefined;
  const words = wordsOf(name);
  const meant = [...candidates]
    .map((candidate) => ({ candidate, words: wordsOf(candidate) }))
    .filter((one) => isPartOf(words, one.words) || isPartOf(one.words, words))
    .map((one) => ({ ...one, more: Math.abs(one.words.length - words.length) }))
    .sort((a, b) => a.more - b.more);
  const [first, second] = meant;
  return first?.more === second?.more ? undefined : first?.candidate;
}

function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Words of fewer letters begin too many others. */
const shortestWord = 3;

function isPartOf(short: readonly string[], long: readonly string[]): boolean {
  let at = 0;
  for (const word of long) if (isSameWord(short[at] ?? '', word)) at++;
  return short.length > 0 && at === short.length;
}

/** The same, or one with another ending: `clusters`, `Running`. */
function isSameWord(one: string, other: string): boolean {
  const shorter = Math.min(one.length, other.length);
  return shorter >= shortestWord && one.slice(0, shorter) === other.slice(0, shorter);
}
