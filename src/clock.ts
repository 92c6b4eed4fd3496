/** Time and chance, so that tests can own both. */
export interface Clock {
  /** Milliseconds of a clock that never jumps; only differences mean anything. */
  now(): number;
  /** Calls once after that many milliseconds, unless the returned function is called before. */
  after(milliseconds: number, call: () => void): () => void;
  /** From 0 up to, but not including, 1. */
  random(): number;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  after(milliseconds, call) {
    const timer = setTimeout(call, milliseconds);
    return () => {
      clearTimeout(timer);
    };
  },
  random: () => Math.random(),
};

/** Ends after that many milliseconds, or at once when the signal is raised; never fails. */
export function sleep(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve();
      return;
    }
    const wake = (): void => {
      cancel();
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.after(milliseconds, wake);
    signal.addEventListener('abort', wake);
  });
}

/** A signal that is raised when nobody has called `reset` for a while, or when its parent is raised. */
export class Watchdog {
  private readonly controller = new AbortController();
  private cancel: () => void = () => undefined;

  constructor(
    private readonly clock: Clock,
    private readonly milliseconds: number,
    private readonly parent: AbortSignal,
  ) {
    if (parent.aborted) this.controller.abort(parent.reason);
    parent.addEventListener('abort', this.follow);
    this.reset();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  reset(): void {
    this.cancel();
    this.cancel = this.clock.after(this.milliseconds, () => {
      this.controller.abort(new Error(`nothing came for ${String(this.milliseconds / 1000)} s`));
    });
  }

  /** Leaves no timer and no listener behind. */
  end(): void {
    this.cancel();
    this.parent.removeEventListener('abort', this.follow);
  }

  private readonly follow = (): void => {
    this.controller.abort(this.parent.reason);
  };
}
