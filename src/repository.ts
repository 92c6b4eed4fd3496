import { lstatSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';

/*
 * Whoever adds a file to a repository is not to choose what else of a machine is read, and shown: neither by a link nor by
 * a path that stands in a file.
 */

/** Whether something is named as a part of the repository around `here`, and lies elsewhere: a link leads there. */
export function isLinkOutOfRepository(path: string, here = process.cwd()): boolean {
  const top = repositoryAround(here);
  return top !== undefined && isWithin(resolve(here, path), top) && !isWithin(realOrNamed(path), top);
}

/** The same for what is to be written, where a link may lead to what is not there yet. */
export function isWrittenOutOfRepository(path: string, here = process.cwd()): boolean {
  const top = repositoryAround(here);
  const named = resolve(here, path);
  return top !== undefined && isWithin(named, top) && !isWithin(writtenAt(named, mostLinks), top);
}

/** As many as Linux follows. */
const mostLinks = 40;

function writtenAt(path: string, links: number): string {
  const folder = realOrNamed(dirname(path));
  const real = join(folder, basename(path));
  const isLink = lstatSync(real, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && links > 0 ? writtenAt(resolve(folder, readlinkSync(real)), links - 1) : real;
}

/** Whether a path that stands in a file leads out of the repository of that file. */
export function leadsOutOfRepositoryOf(file: string, path: string): boolean {
  const top = repositoryAround(dirname(resolve(file)));
  return top !== undefined && !isWithin(realOrNamed(path), top);
}

/** Whether a path is that of a folder, or of something in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** The top of the repository of git around a folder, by its real path; undefined where there is none. */
function repositoryAround(folder: string): string | undefined {
  for (let around = realOrNamed(folder); ; around = dirname(around)) {
    if (statSync(join(around, '.git'), { throwIfNoEntry: false }) !== undefined) return around;
    if (dirname(around) === around) return undefined;
  }
}

/** What is not there leads nowhere. */
function realOrNamed(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return resolve(path);
  }
}
