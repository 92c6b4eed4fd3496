/** A signal that is raised some time before a deadline; both are told in milliseconds of a clock that does not jump. */
export function raisedBefore(deadline: number, now: number, marginMilliseconds: number): AbortSignal {
  // A timer takes whole milliseconds only.
  return AbortSignal.timeout(Math.max(0, Math.floor(deadline - now - marginMilliseconds)));
}

export interface TimeLeft {
  readonly signal: AbortSignal;
  /** To be called when nobody looks at the signal any more, so that no timer is left behind. */
  end(): void;
}

/** The same, for what is done within a moment, thousands of times. */
export function timeBefore(deadline: number, now: number, marginMilliseconds: number): TimeLeft {
  const controller = new AbortController();
  const raise = (): void => {
    controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
  };
  const timer = setTimeout(raise, Math.max(0, Math.floor(deadline - now - marginMilliseconds))).unref();
  return {
    signal: controller.signal,
    end: () => {
      clearTimeout(timer);
    },
  };
}
