/** A signal that is raised some time before a deadline; both are told in milliseconds of a clock that does not jump. */
export function raisedBefore(deadline: number, now: number, marginMilliseconds: number): AbortSignal {
  // A timer takes whole milliseconds only.
  return AbortSignal.timeout(Math.max(0, Math.floor(deadline - now - marginMilliseconds)));
}
