import { writeFile } from 'node:fs/promises';
import { count } from '../../engine/message.js';
import type { Rule } from '../../engine/rule.js';
import { describe, GuardError } from '../../errors.js';
import { plain } from '../../fleet/quoted.js';
import { diskReader, type FileReader } from '../../sources/manifests/file-reader.js';
import { largestFile } from '../../sources/manifests/files.js';
import type { Io } from '../program/io.js';
import type { CheckReport } from '../report/model.js';
import { styleOf } from '../report/style.js';
import { chosenOf, leftOf, type Left, type Limits } from './choose.js';
import { diffText } from './diff.js';
import { EditedText } from './edited-text.js';

export interface FixOptions {
  readonly fix?: boolean;
  readonly fixUnsafe?: boolean;
  readonly yes?: boolean;
}

interface Fixing {
  readonly options: FixOptions;
  readonly io: Io;
  readonly rules: readonly Rule[];
  /** Judges the manifests as a reader has them. */
  readonly judge: (reader: FileReader) => Promise<CheckReport>;
}

/** What one edit reveals, such as a type below a key that was misspelled, the next pass puts right; no input takes more. */
const mostPasses = 20;

/** Puts right what can be, and gives the report of what the files hold then. */
export async function fix({ options, io, rules, judge }: Fixing): Promise<CheckReport> {
  const files = new EditedFiles();
  const before = await judge(files.reader);
  const limits = { isRiskTaken: options.fixUnsafe === true, isOurs: (file: string) => files.has(file), rules };
  const { report, edits } = await repeat(before, { files, limits, judge });
  tellLeft(leftOf(report, limits), io);
  if (edits === 0) {
    io.err('Nothing is changed.\n');
    return before;
  }
  const style = styleOf(io.isColoured);
  for (const [file, { edited }] of files.changed()) io.err(diffText(file, edited, style));
  const many = `${count(edits, 'edit')} in ${count(files.changed().length, 'file')}`;
  if (!(await isWanted(many, options, io))) return before;
  await files.write();
  io.err(`${many} written.\n`);
  return report;
}

async function repeat(
  before: CheckReport,
  { files, limits, judge }: { readonly files: EditedFiles; readonly limits: Limits; readonly judge: Fixing['judge'] },
): Promise<{ readonly report: CheckReport; readonly edits: number }> {
  let report = before;
  let edits = 0;
  for (let pass = 0; pass < mostPasses; pass++) {
    const chosen = chosenOf(report, limits);
    if (chosen.size === 0) break;
    for (const [file, ofFile] of chosen) {
      files.replace(file, ofFile.flat());
      edits += ofFile.length;
    }
    report = await judge(files.reader);
  }
  return { report, edits };
}

async function isWanted(many: string, { yes = false }: FixOptions, io: Io): Promise<boolean> {
  if (yes) return true;
  if (io.ask !== undefined && (await io.ask(`Write ${many}? [y/N] `))) return true;
  const hint = io.ask === undefined ? ': nobody can be asked here; --yes writes without asking' : '';
  io.err(`Nothing is written${hint}.\n`);
  return false;
}

function tellLeft(left: readonly Left[], io: Io): void {
  if (left.length === 0) return;
  const lines = left.map(({ file, line, column, rule, why }) => {
    const id = rule === undefined ? '' : `[${rule}] `;
    return `  ${plain(file)}:${String(line)}:${String(column)}: ${id}${why}\n`;
  });
  io.err(`Not touched:\n${[...new Set(lines)].join('')}`);
}

interface EditedFile {
  readonly bytes: Uint8Array;
  readonly edited: EditedText;
}

const byteOrderMark = Buffer.from('\ufeff');

/** Files that were read, and what is to stand in them. */
class EditedFiles {
  private readonly files = new Map<string, EditedFile>();

  readonly reader: FileReader = { ...diskReader, read: (path, limit) => this.read(path, limit) };

  has(file: string): boolean {
    return this.files.has(file);
  }

  replace(file: string, replacements: Parameters<EditedText['replace']>[0]): void {
    this.files.get(file)?.edited.replace(replacements);
  }

  changed(): readonly (readonly [string, EditedFile])[] {
    return [...this.files].filter(([, { edited }]) => edited.blocks().length > 0);
  }

  /** Nothing is written where somebody else has written in the meantime. */
  async write(): Promise<void> {
    const changed = this.changed();
    for (const [file, { bytes }] of changed) {
      const now = await diskReader.read(file, largestFile + 1);
      if (Buffer.compare(now, bytes) !== 0) {
        throw new GuardError('INPUT_UNREADABLE', `${plain(file)}: has changed while it was judged; nothing is written`);
      }
    }
    for (const [file, one] of changed) await save(file, textOf(one));
  }

  private async read(path: string, limit: number): Promise<Uint8Array> {
    const known = this.files.get(path);
    if (known !== undefined) return textOf(known);
    const bytes = await diskReader.read(path, limit);
    this.files.set(path, { bytes, edited: new EditedText(new TextDecoder().decode(bytes)) });
    return bytes;
  }
}

function textOf({ bytes, edited }: EditedFile): Uint8Array {
  if (edited.blocks().length === 0) return bytes;
  const hasMark = Buffer.compare(bytes.subarray(0, byteOrderMark.length), byteOrderMark) === 0;
  return Buffer.concat([hasMark ? byteOrderMark : Buffer.alloc(0), Buffer.from(edited.text)]);
}

/** Into the file itself, so that its rights and links to it stay. */
async function save(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes);
  } catch (cause) {
    throw new GuardError('INPUT_UNREADABLE', `${plain(file)}: cannot be written: ${describe(cause)}`, { cause });
  }
}
