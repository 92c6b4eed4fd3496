import { sleep, systemClock, type Clock } from './clock.js';

/** Work that is done again and again, from `start` until `stop`. */
export abstract class Background {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(protected readonly clock: Clock = systemClock) {}

  /** Does the work once; the answer says how many milliseconds to rest before the next time. Must not fail. */
  protected abstract turn(signal: AbortSignal): Promise<number>;

  /** Raised by `stop`. */
  protected get signal(): AbortSignal {
    return this.stopping.signal;
  }

  start(): void {
    this.running = this.run();
  }

  /** Settles when nothing of it runs any more. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    while (!this.signal.aborted) {
      const rest = await this.turn(this.signal);
      if (rest > 0) await sleep(this.clock, rest, this.signal);
    }
  }
}
