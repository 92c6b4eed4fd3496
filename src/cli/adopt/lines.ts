import { createReadStream } from 'node:fs';
import { GuardError } from '../../errors.js';
import { plain } from '../../fleet/quoted.js';
import { checkIsFile } from '../../plain-file.js';
import type { Io } from '../program/io.js';

/** A line of a decision takes some hundred bytes; a reason may make it some kilobytes long. */
const longestLine = 256 * 1024;

/** The lines of a file, or of standard input; of one that is too long, nothing. Never more than one of them is held. */
export async function* linesOf(path: string, io: Pick<Io, 'stdinChunks'>): AsyncIterable<string | undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  let isTooLong = false;
  for await (const chunk of chunksOf(path, io)) {
    const [first = '', ...lines] = decoder.decode(chunk, { stream: true }).split('\n');
    rest = isTooLong ? '' : rest + first;
    for (const line of lines) {
      yield isTooLong ? undefined : rest;
      rest = line;
      isTooLong = false;
    }
    if (rest.length <= longestLine) continue;
    isTooLong = true;
    rest = '';
  }
  if (isTooLong) yield undefined;
  else if (rest !== '') yield rest;
}

async function* chunksOf(path: string, io: Pick<Io, 'stdinChunks'>): AsyncIterable<Uint8Array> {
  if (path === '-') {
    yield* io.stdinChunks();
    return;
  }
  try {
    checkIsFile(path);
    for await (const chunk of createReadStream(path)) yield chunk as Buffer;
  } catch (error) {
    throw new GuardError('INPUT_UNREADABLE', `${plain(path)} cannot be read`, { cause: error });
  }
}
