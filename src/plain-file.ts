import { statSync } from 'node:fs';

/** Settings, kubeconfigs and certificates are some kilobytes. */
const mostBytes = 4 * 1024 * 1024;

/**
 * Raises unless a path leads to a file of sensible size. To open a pipe may wait for ever, and a device never ends: a link
 * in a repository can lead to either.
 */
export function checkPlainFile(path: string): void {
  checkIsFile(path);
  if (statSync(path).size > mostBytes) throw new Error(`it is larger than ${String(mostBytes / 1024 / 1024)} MiB`);
}

/** The same for what may be of any size, since it is not held. */
export function checkIsFile(path: string): void {
  if (!statSync(path).isFile()) throw new Error('it is not a file');
}
