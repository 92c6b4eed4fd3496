/** Which lines of a text are not in another one any more, counted from 1: all but the longest that both have in order. */
export function removedLines(before: string, after: string): readonly number[] {
  const old = before.split('\n');
  const now = after.split('\n');
  const common = old.map(() => new Array<number>(now.length + 1).fill(0));
  common.push(new Array<number>(now.length + 1).fill(0));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const row = common[i];
      if (row) row[j] = old[i] === now[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const removed: number[] = [];
  for (let i = 0, j = 0; i < old.length;) {
    if (j < now.length && old[i] === now[j]) {
      i++;
      j++;
    } else if (j < now.length && at(i, j + 1) >= at(i + 1, j)) j++;
    else removed.push(++i);
  }
  return removed;
}
