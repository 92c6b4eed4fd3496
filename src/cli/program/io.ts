import { basename } from 'node:path';
import { largestFile } from '../../sources/manifests/files.js';

/** What a command may touch of the world around the process. */
export interface Io {
  /** What the command reports. */
  out(text: string): void;
  /** What it says beside its report: wrong use, progress, bugs. */
  err(text: string): void;
  /** All of standard input, or of one that is too large its beginning. */
  stdin(): Promise<Uint8Array>;
  /** Standard input as it comes, however much that is. */
  stdinChunks(): AsyncIterable<Uint8Array>;
  /** Calls when whoever read the report or the messages has stopped reading. */
  onUnread(listener: () => void): void;
  /** Asks whoever sits at the terminal for a yes; absent where nobody does. */
  ask?(question: string): Promise<boolean>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Whether the report may be coloured. */
  readonly isColoured: boolean;
  /** Whether a line on standard error can be written over. */
  readonly hasProgress: boolean;
  /** Whether kubectl has called it: the hub is then the one that kubectl talks to. */
  readonly isPlugin?: boolean;
}

/** NO_COLOR (no-color.org) beats FORCE_COLOR (force-color.org), and both beat what is known of the terminal. */
function wantsColour(isTerminal: boolean, { NO_COLOR, FORCE_COLOR, TERM }: NodeJS.ProcessEnv): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0';
  return isTerminal && TERM !== 'dumb';
}

/** The streams of this process. */
export function processIo({ stdin, stdout, stderr, env, argv }: NodeJS.Process): Io {
  const listeners: (() => void)[] = [];
  // Whoever reads may stop reading (`stageguard rules | head`); that is no error.
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    for (const listener of listeners) listener();
  };
  for (const stream of [stdout, stderr]) stream.on('error', onError);
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    async stdin() {
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of stdin) {
        chunks.push(Buffer.from(chunk as Buffer));
        size += (chunk as Buffer).length;
        // It is refused as too large, and whoever writes may never end.
        if (size > largestFile) break;
      }
      return Buffer.concat(chunks);
    },
    stdinChunks: () => stdin,
    onUnread: (listener) => void listeners.push(listener),
    ...(stdin.isTTY && stderr.isTTY && { ask: (question: string) => askOn({ stdin, stderr }, question) }),
    now: () => Date.now(),
    isColoured: wantsColour(stdout.isTTY, env),
    hasProgress: stderr.isTTY && env.TERM !== 'dumb',
    isPlugin: basename(argv[1] ?? '').startsWith('kubectl-'),
  };
}

/** The end of input is a no. */
async function askOn({ stdin, stderr }: Pick<NodeJS.Process, 'stdin' | 'stderr'>, question: string): Promise<boolean> {
  const { createInterface } = await import('node:readline');
  const lines = createInterface({ input: stdin, output: stderr });
  return new Promise((resolve) => {
    lines.once('close', () => {
      resolve(false);
    });
    lines.question(question, (answer) => {
      resolve(/^y(?:es)?$/i.test(answer.trim()));
      lines.close();
    });
  });
}
