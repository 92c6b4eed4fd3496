/** How many letters must be added, dropped or replaced to turn one word into the other (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const replaced = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
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
