import { HubError } from './hub.js';
import { withoutUnread } from './unread-parts.js';

/** The API server stores objects of up to 3 MiB (etcd's 1.5 MiB, decoded); a longer line is no event. */
const longestLine = 16 * 1024 * 1024;

/** The lines of a body, each parsed. A line that is no JSON fails: whoever read on would miss an event. */
export async function* parseLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let length = 0;
  for await (const chunk of body) {
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    begun.push(first);
    length += first.length;
    const last = more.pop();
    if (last !== undefined) {
      yield* [begun.join(''), ...more].filter(isFull).map(parseLine);
      begun = [last];
      length = last.length;
    }
    if (length > longestLine) throw new HubError(0, 'the API server sent a line without end');
  }
  // What is left without a line break was cut off, or is the last event as a whole: the parser can tell.
  yield* [begun.join('')].filter(isFull).map(parseLine);
}

function isFull(line: string): boolean {
  return line.trim() !== '';
}

function parseLine(line: string): unknown {
  try {
    return JSON.parse(withoutUnread(line)) as unknown;
  } catch {
    throw new HubError(0, `the API server sent a line that is no JSON: ${JSON.stringify(line.slice(0, 80))}`);
  }
}
