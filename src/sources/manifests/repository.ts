import { dirname, join, resolve, sep } from 'node:path';
import type { FileReader } from './file-reader.js';

/*
 * Whoever adds a file to a repository is not to choose what else of a machine is read, and shown: neither by a link nor by
 * a path that stands in a file.
 */

/** The top of the repository of git around a folder, by its real path; undefined where there is none. */
export async function repositoryAround(folder: string, reader: FileReader): Promise<string | undefined> {
  for (let around = await reader.real(folder); ; around = dirname(around)) {
    if (await isThere(join(around, '.git'), reader)) return around;
    if (dirname(around) === around) return undefined;
  }
}

/** Whether something is named as a part of the repository that we are in, and lies elsewhere: a link leads there. */
export async function isLinkOutOfRepository(path: string, real: string, reader: FileReader): Promise<boolean> {
  const here = reader.here();
  const top = await repositoryAround(here, reader);
  return top !== undefined && isWithin(resolve(here, path), top) && !isWithin(real, top);
}

/** Whether a path that stands in a file leads out of the repository of that file; what is not there leads nowhere. */
export async function leadsOutOfRepositoryOf(file: string, path: string, reader: FileReader): Promise<boolean> {
  const top = await repositoryAround(dirname(resolve(reader.here(), file)), reader);
  if (top === undefined) return false;
  return !isWithin(await realOrNamed(path, reader), top);
}

async function realOrNamed(path: string, reader: FileReader): Promise<string> {
  try {
    return await reader.real(path);
  } catch {
    return path;
  }
}

/** Whether a path is that of a folder, or of something in it. */
export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

export async function isThere(path: string, reader: FileReader): Promise<boolean> {
  try {
    await reader.stat(path);
    return true;
  } catch {
    // Absent, or not for us to see: either way no repository of ours begins here.
    return false;
  }
}
