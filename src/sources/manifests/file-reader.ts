import { createReadStream } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';

export type FileKind = 'file' | 'folder' | 'other';

/** What of a file system is needed to read manifests. */
export interface FileReader {
  /** The folder that paths begin at. */
  here(): string;
  /** Follows symbolic links. */
  stat(path: string): Promise<{ readonly kind: FileKind; readonly size: number }>;
  /** The names in a folder. */
  list(folder: string): Promise<readonly string[]>;
  /** One name for all the paths that lead to the same place. */
  real(path: string): Promise<string>;
  /** The first bytes of a file, at most `limit`. */
  read(path: string, limit: number): Promise<Uint8Array>;
}

export const diskReader: FileReader = {
  here: () => process.cwd(),
  async stat(path) {
    const found = await stat(path);
    const kind = found.isDirectory() ? 'folder' : found.isFile() ? 'file' : 'other';
    return { kind, size: found.size };
  },
  list: (folder) => readdir(folder),
  real: (path) => realpath(path),
  async read(path, limit) {
    const chunks: Buffer[] = [];
    for await (const chunk of createReadStream(path, { end: limit - 1 })) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks);
  },
};
