const codes = { red: 31, yellow: 33, green: 32, cyan: 36, bold: 1, dim: 2 } as const;

/** Puts a text into a colour, or leaves it as it is. */
export type Style = (colour: keyof typeof codes, text: string) => string;

export function styleOf(isColoured: boolean): Style {
  return (colour, text) => (isColoured ? `\u001b[${String(codes[colour])}m${text}\u001b[0m` : text);
}

/** Sets every line further in. */
export function indent(text: string, by: number): string {
  return text.replaceAll(/^(?=.)/gm, ' '.repeat(by));
}

/** Rows as columns of equal width; the last column is left as it is. */
export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row.map((cell, column) => (column < row.length - 1 ? cell.padEnd(widths[column] ?? 0) : cell)).join('  ');
  return `${rows.map(line).join('\n')}\n`;
}
