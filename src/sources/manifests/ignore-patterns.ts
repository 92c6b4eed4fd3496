/** Beyond this, a file of patterns is not written by people, and matching it takes long. */
export const longestPatternFile = 64 * 1024;

/** A run of any characters, or what one character must be. */
type Piece = 'run' | ((character: string) => boolean);

/** What one name of a path must be; `**` stands for any number of names. */
type Step = readonly Piece[] | '**';

interface Pattern {
  readonly isNegated: boolean;
  readonly forFoldersOnly: boolean;
  readonly steps: readonly Step[];
}

/**
 * The patterns of a .gitignore (gitignore(5)), for paths below the folder that holds it. Who writes them need not be a
 * friend: no pattern takes longer than its length times the length of the path.
 */
export class IgnorePatterns {
  /** The last one first: it decides. */
  private readonly patterns: readonly Pattern[];

  constructor(lines: readonly string[]) {
    this.patterns = lines.flatMap(patternIn).reverse();
  }

  /** Whether a path is ignored; undefined where no pattern speaks of it. */
  ignores(path: readonly string[], isFolder: boolean): boolean | undefined {
    const decisive = this.patterns.find(
      ({ steps, forFoldersOnly }) => (isFolder || !forFoldersOnly) && matchesPath(steps, path),
    );
    return decisive === undefined ? undefined : !decisive.isNegated;
  }
}

function patternIn(line: string): readonly Pattern[] {
  const text = withoutTrailingSpaces(line.replace(/\r$/, ''));
  if (text === '' || text.startsWith('#')) return [];
  const isNegated = text.startsWith('!');
  const body = isNegated ? text.slice(1) : text;
  const forFoldersOnly = body.endsWith('/');
  const path = forFoldersOnly ? body.slice(0, -1) : body;
  const names = namesIn(path.replace(/^\//, ''));
  // Without a slash, it is a name at any depth.
  const steps = (path.includes('/') ? names : ['**', ...names]).map(stepIn);
  return steps.includes(undefined) ? [] : [{ isNegated, forFoldersOnly, steps: steps as readonly Step[] }];
}

/** Split at slashes; one between brackets is a member of the set, which no name ever has. */
function namesIn(path: string): readonly string[] {
  const names = [''];
  for (let at = 0; at < path.length; at++) {
    const last = path[at] === '[' ? (setAt(path, at)?.last ?? at) : path[at] === '\\' ? at + 1 : at;
    if (path[at] === '/') names.push('');
    else names.push(`${names.pop() ?? ''}${path.slice(at, last + 1)}`);
    at = last;
  }
  return names;
}

/** A space at the end counts only behind a backslash. */
function withoutTrailingSpaces(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ' ' && text[end - 2] !== '\\') end--;
  return text.slice(0, end);
}

function stepIn(name: string): Step | undefined {
  if (name === '**') return '**';
  const pieces: Piece[] = [];
  for (let at = 0; at < name.length; at++) {
    const read = pieceAt(name, at);
    // A bracket that nobody closes matches nothing at all.
    if (read === undefined) return undefined;
    if (read.piece !== 'run' || pieces.at(-1) !== 'run') pieces.push(read.piece);
    at = read.last;
  }
  return pieces;
}

function pieceAt(name: string, at: number): { readonly piece: Piece; readonly last: number } | undefined {
  const character = name[at] ?? '';
  if (character === '*') return { piece: 'run', last: at };
  if (character === '?') return { piece: () => true, last: at };
  if (character === '[') return setAt(name, at);
  const isEscape = character === '\\';
  const wanted = isEscape ? name[at + 1] : character;
  if (wanted === undefined) return undefined;
  return { piece: (one) => one === wanted, last: isEscape ? at + 1 : at };
}

const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  digit: /[0-9]/,
  lower: /[a-z]/,
  upper: /[A-Z]/,
  space: /\s/,
  xdigit: /[A-Fa-f0-9]/,
};

/** `[a-z]`, `[!a-z]`, `[[:digit:]]`; a closing bracket that comes first is one of the set. */
function setAt(name: string, start: number): { readonly piece: Piece; readonly last: number } | undefined {
  const match = /^\[([!^]?)(\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*)\]/.exec(name.slice(start));
  if (match === null) return undefined;
  const [whole, negation, inner = ''] = match;
  const members = Array.from(inner.matchAll(/\[:([a-z]+):\]|(\\?.)-(\\?.)|\\?(.)/g));
  const has = (one: string): boolean =>
    members.some(([, named, from, to, single]) => {
      if (named !== undefined) return classes[named]?.test(one) ?? false;
      if (from === undefined || to === undefined) return one === single;
      return one >= from.slice(-1) && one <= to.slice(-1);
    });
  return { piece: (one) => has(one) === (negation === ''), last: start + whole.length - 1 };
}

/** Row by row, so that no number of `**` makes it try everything again. */
function matchesPath(steps: readonly Step[], path: readonly string[]): boolean {
  // Whether the steps so far match the first names, for each number of names.
  let reached = [true, ...path.map(() => false)];
  for (const [index, step] of steps.entries()) {
    const isLast = index === steps.length - 1;
    // At the end, `**` stands for what is inside, which is one name at least.
    reached =
      step === '**'
        ? reached.map((isReached, names) => (isReached && !isLast) || reached.slice(0, names).includes(true))
        : [false, ...path.map((name, names) => reached[names] === true && matchesName(step, name))];
  }
  return reached[path.length] ?? false;
}

/** Goes back to the last run alone: what an earlier one takes, a later one can take as well. */
function matchesName(pieces: readonly Piece[], name: string): boolean {
  let [piece, at] = [0, 0];
  let run: { readonly piece: number; at: number } | undefined;
  while (at < name.length) {
    const wanted = pieces[piece];
    if (wanted === 'run') run = { piece: ++piece, at };
    else if (wanted?.(name[at] ?? '') === true) [piece, at] = [piece + 1, at + 1];
    else if (run === undefined) return false;
    else [piece, at] = [run.piece, ++run.at];
  }
  return pieces.slice(piece).every((rest) => rest === 'run');
}
