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

/** `; did you mean "x"?` for the nearest of the candidates, or nothing if none is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  // A third of the letters wrong is no slip of the finger any more. Hostile lengths are cut off before they cost.
  const allowed = Math.max(1, Math.floor(word.length / 3));
  const near = [...candidates]
    .filter((candidate) => Math.abs(candidate.length - word.length) <= allowed)
    .map((candidate) => ({ candidate, far: distance(word.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ far }) => far <= allowed)
    .sort((a, b) => a.far - b.far || (a.candidate < b.candidate ? -1 : 1));
  return near[0] === undefined ? '' : `; did you mean "${near[0].candidate}"?`;
}
