/**
 * Whoever writes manifests is not to keep a machine busy for hours. Fleets of 25,000 bindings take seconds to read, and a
 * thousand runs on them less than a minute to judge.
 */
const mostMilliseconds = 5 * 60_000;

/** Whether a command that began just now has taken as long as it may. */
export function timeLimit(): () => boolean {
  const end = performance.now() + mostMilliseconds;
  return () => performance.now() > end;
}
