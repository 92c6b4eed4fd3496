import type { Location, Replacement } from '../../sources/manifests/places.js';

/** A line as it is now, and which lines of the original it stands for: from one to before another. */
interface Line {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Lines of the original, counted from 0, and what stands there now. */
export interface Block {
  readonly from: number;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** A text that is changed at places, and knows at the end what of it has changed. */
export class EditedText {
  private readonly original: readonly string[];
  private lines: readonly Line[];

  constructor(text: string) {
    this.original = text.split('\n');
    this.lines = this.original.map((line, at) => ({ text: line, from: at, to: at + 1 }));
  }

  get text(): string {
    return this.lines.map(({ text }) => text).join('\n');
  }

  get originalLines(): readonly string[] {
    return this.original;
  }

  /** Places are those of the text as it is now; no two replacements may touch. */
  replace(replacements: readonly Replacement[]): void {
    const lines = [...this.lines];
    const fromTheEnd = [...replacements].sort((a, b) => order(b.start, a.start));
    for (const { start, end, text } of fromTheEnd) {
      const first = lines[start.line - 1];
      const last = lines[end.line - 1];
      if (first === undefined || last === undefined) throw new Error(`no line ${String(end.line)}`);
      const whole = first.text.slice(0, start.column - 1) + text + last.text.slice(end.column - 1);
      const parts = whole.split('\n');
      const { from } = first;
      const { to } = last;
      const made = parts.map((part, at) => ({ text: part, from: at === 0 ? from : to, to }));
      lines.splice(start.line - 1, end.line - start.line + 1, ...made);
    }
    this.lines = lines;
  }

  /** What has changed, from top to bottom; what is alike at both ends of a block is no part of it. */
  blocks(): readonly Block[] {
    const blocks: { from: number; to: number; after: string[] }[] = [];
    let isOpen = false;
    for (const { text, from, to } of this.lines) {
      const isKept = to - from === 1 && this.original[from] === text;
      const open = blocks.at(-1);
      if (isKept) isOpen = false;
      else if (isOpen && open !== undefined) {
        open.to = to;
        open.after.push(text);
      } else {
        isOpen = true;
        blocks.push({ from, to, after: [text] });
      }
    }
    return blocks.map(({ from, to, after }) => trimmed({ from, before: this.original.slice(from, to), after }));
  }
}

export function order(a: Location, b: Location): number {
  return a.line - b.line || a.column - b.column;
}

function trimmed({ from, before, after }: Block): Block {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  return {
    from: from + head,
    before: before.slice(head, before.length - tail),
    after: after.slice(head, after.length - tail),
  };
}
