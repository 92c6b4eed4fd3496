import { watch as watchFiles } from 'node:fs';
import { stat } from 'node:fs/promises';
import { describe, GuardError } from '../../errors.js';
import type { IndexedFleet } from '../../fleet/indexed-fleet.js';
import { fieldOf } from '../../fleet/json.js';
import type { Log } from '../../log.js';
import { diskReader, type FileReader } from './file-reader.js';
import { findFiles, type ManifestProblem } from './files.js';
import { fleetOf } from './objects.js';
import type { ManifestDocument } from './parse.js';
import { readManifests } from './read.js';

/** What files say of a fleet at one moment. */
export interface ManifestFleet {
  readonly fleet: IndexedFleet;
  readonly documents: readonly ManifestDocument[];
}

/** A fleet that follows its files. */
export interface WatchedFleet {
  current(): ManifestFleet;
  stop(): void;
}

export interface WatchOptions {
  readonly log: Log;
  readonly pollMilliseconds?: number;
  readonly debounceMilliseconds?: number;
  /** How files are read, and how the system tells that they were touched. */
  readonly reader?: FileReader;
  readonly watch?: typeof watchFiles;
}

/** Reads a complete fleet from a file or folder and follows it; what cannot be read never replaces what was read before. */
export async function watchFleet(path: string, options: WatchOptions): Promise<WatchedFleet> {
  const { reader = diskReader } = options;
  let seen = await signature(path, reader);
  let current = await load(path, reader);
  let following = Promise.resolve();
  // One after the other: what was read first must not be taken last.
  const follow = (): void => {
    following = following.then(followOnce);
  };
  const followOnce = async (): Promise<void> => {
    try {
      const now = await signature(path, reader);
      if (now === seen) return;
      seen = now;
      current = await load(path, reader);
      options.log.info({ path, objects: current.documents.length }, 'the fleet was read again');
    } catch (error) {
      options.log.warn({ path, error: describe(error) }, 'the fleet cannot be read; the one before stays');
    }
  };
  const stop = whenTouched(path, options, follow);
  return { current: () => current, stop };
}

function whenTouched(path: string, options: WatchOptions, touched: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const poll = setInterval(touched, options.pollMilliseconds ?? 5000);
  poll.unref();
  const unwatch = watchPath(path, options, () => {
    clearTimeout(timer);
    // Editors and git write in several steps; a moment later they are done.
    timer = setTimeout(touched, options.debounceMilliseconds ?? 200);
  });
  return () => {
    unwatch();
    clearTimeout(timer);
    clearInterval(poll);
  };
}

/** Events where they are to be had: a machine may have no watches left (inotify), and then looking now and then must do. */
function watchPath(path: string, { log, watch = watchFiles }: WatchOptions, onEvent: () => void): () => void {
  const doWithout = (error: unknown): void => {
    log.warn({ path, error: describe(error) }, 'no events for the fleet; it is looked at from time to time');
  };
  try {
    const watcher = watch(path, { recursive: true, persistent: false }, onEvent);
    const close = (): void => {
      watcher.close();
    };
    watcher.on('error', (error) => {
      close();
      doWithout(error);
    });
    return close;
  } catch (error) {
    doWithout(error);
    return () => undefined;
  }
}

async function load(path: string, reader: FileReader): Promise<ManifestFleet> {
  const { documents, problems } = await readManifests([path], { reader });
  const { fleet, problems: ofObjects } = fleetOf(documents, 'complete');
  const all = [...problems, ...ofObjects];
  if (all.length > 0) throw new GuardError('INPUT_SHAPE', `cannot read the fleet:\n${all.map(problemText).join('\n')}`);
  return { fleet, documents };
}

function problemText({ file, line, column, message }: ManifestProblem): string {
  const where = line === undefined ? '' : `:${String(line)}:${String(column ?? 1)}`;
  return `  ${file}${where}: ${message}`;
}

/** The JSON of one object, as its file has it. */
export function storedIn(
  documents: readonly ManifestDocument[],
  {
    plural,
    namespace,
    name,
  }: { readonly plural: string; readonly namespace: string | undefined; readonly name: string },
): unknown {
  return documents.find(({ kind, json }) => {
    const metadata = fieldOf(json, 'metadata');
    if (kind?.plural !== plural || fieldOf(metadata, 'name') !== name) return false;
    return !kind.namespaced || (fieldOf(metadata, 'namespace') ?? 'default') === namespace;
  })?.json;
}

/** Changes whenever a file comes, goes, or is written. */
async function signature(path: string, reader: FileReader): Promise<string> {
  const { files } = await findFiles(path, reader);
  const parts = await Promise.all(
    files.map(async (file) => {
      try {
        const { mtimeMs, size } = await stat(file);
        return `${file} ${String(mtimeMs)} ${String(size)}`;
      } catch {
        // Gone since it was listed; the next look tells.
        return file;
      }
    }),
  );
  return parts.join('\n');
}
