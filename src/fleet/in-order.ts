/** Each text once, in code unit order. Most come so already, and to find that is quicker than to sort thousands of them. */
export function inOrder(texts: readonly string[]): readonly string[] {
  const isInOrder = texts.every((text, index) => index === 0 || (texts[index - 1] ?? '') < text);
  return isInOrder ? texts : [...new Set(texts)].sort();
}

/** How many items of an ordered list come before a place. */
export function countBefore<T>(items: readonly T[], isBefore: (item: T) => boolean): number {
  let from = 0;
  let to = items.length;
  while (from < to) {
    const middle = (from + to) >> 1;
    if (isBefore(items[middle] as T)) from = middle + 1;
    else to = middle;
  }
  return from;
}
