/** What a command may touch of the world around the process. */
export interface Io {
  /** What the command reports. */
  out(text: string): void;
  /** What it says beside its report: wrong use, progress, bugs. */
  err(text: string): void;
  /** All of standard input. */
  stdin(): Promise<Uint8Array>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Whether the report may be coloured. */
  readonly isColoured: boolean;
  /** Whether a line on standard error can be written over. */
  readonly hasProgress: boolean;
}

/** The streams of this process. Colours go to terminals only, and to none where NO_COLOR is set (no-color.org). */
export function processIo({ stdin, stdout, stderr, env }: NodeJS.Process): Io {
  // Whoever reads may stop reading (`stageguard rules | head`); that is no fault of anyone.
  for (const stream of [stdout, stderr]) stream.on('error', ignoreClosedPipe);
  const isPlain = env.NO_COLOR !== undefined && env.NO_COLOR !== '';
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    async stdin() {
      const chunks: Buffer[] = [];
      for await (const chunk of stdin) chunks.push(Buffer.from(chunk as Buffer));
      return Buffer.concat(chunks);
    },
    now: () => Date.now(),
    isColoured: stdout.isTTY && !isPlain && env.TERM !== 'dumb',
    hasProgress: stderr.isTTY && env.TERM !== 'dumb',
  };
}

function ignoreClosedPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}
