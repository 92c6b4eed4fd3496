import { Lexer } from 'yaml';
import type { Location } from './places.js';

/** A comment that says which rule is not to be told of here. */
export interface Suppression extends Location {
  readonly file: string;
  /** Empty where the comment names none. */
  readonly rule: string;
  readonly reason: string;
  /** The first and the last line that it speaks of. */
  readonly from: number;
  readonly to: number;
}

const word = 'stageguard:ignore';

/** The comments of a YAML text; a text inside of it that only looks like one is none. */
export function suppressionsIn(file: string, text: string): readonly Suppression[] {
  if (!text.includes(word)) return [];
  const reader = new Comments(file);
  let isScalar = false;
  for (const lexeme of new Lexer().lex(text)) {
    // The lexer's marks for what has no length: begin of a document, a flow that ends too early, a scalar that follows.
    if (lexeme === '\u0002' || lexeme === '\u0018') continue;
    if (lexeme === '\u001f') isScalar = true;
    else {
      reader.take(lexeme, isScalar);
      isScalar = false;
    }
  }
  return reader.end();
}

interface Open {
  readonly found: Omit<Suppression, 'from' | 'to'>;
  readonly from: number;
}

class Comments {
  private line = 1;
  private column = 1;
  private documentBegins = 1;
  private lastContent = 0;
  /** Before the first field of a document: for all of it. */
  private forDocument: Open[] = [];
  /** On lines of their own: for the line that follows. */
  private forNextLine: Open[] = [];
  private readonly done: Suppression[] = [];

  constructor(private readonly file: string) {}

  take(lexeme: string, isScalar: boolean): void {
    if (isScalar) this.content();
    else this.mark(lexeme);
    const lines = lexeme.split('\n');
    this.column = lines.length === 1 ? this.column + lexeme.length : (lines.at(-1)?.length ?? 0) + 1;
    this.line += lines.length - 1;
    if (isScalar) this.lastContent = this.line;
  }

  private mark(lexeme: string): void {
    if (lexeme.startsWith('#')) this.comment(lexeme);
    else if (lexeme === '---') this.document();
    else if (/\S/.test(lexeme)) this.content();
  }

  end(): readonly Suppression[] {
    this.close(this.forDocument, this.line);
    // What no line follows speaks of nothing, and is told as unused.
    for (const { found } of this.forNextLine) this.done.push({ ...found, from: found.line, to: found.line });
    return this.done;
  }

  private comment(text: string): void {
    const match = /^#\s*stageguard:ignore(?![^\s])\s*(\S*)\s*(.*)$/.exec(text);
    if (match === null) return;
    const [, rule = '', reason = ''] = match;
    const found = { file: this.file, line: this.line, column: this.column, rule, reason: reason.trim() };
    if (this.lastContent === this.line) this.done.push({ ...found, from: this.line, to: this.line });
    else if (this.lastContent < this.documentBegins) this.forDocument.push({ found, from: this.documentBegins });
    else this.forNextLine.push({ found, from: this.line });
  }

  private document(): void {
    // Comments above the line that begins the first document are about it.
    if (this.lastContent >= this.documentBegins) {
      this.close(this.forDocument, this.line - 1);
      this.forDocument = [];
    }
    this.documentBegins = this.line;
  }

  private content(): void {
    for (const { found } of this.forNextLine) this.done.push({ ...found, from: this.line, to: this.line });
    this.forNextLine = [];
    this.lastContent = this.line;
  }

  private close(open: readonly Open[], to: number): void {
    for (const { found, from } of open) this.done.push({ ...found, from, to });
  }
}
