import { watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { GuardError } from '../../errors.js';
import type { IndexedFleet } from '../../fleet/indexed-fleet.js';
import { fieldOf } from '../../fleet/json.js';
import type { Log } from '../../log.js';
import { diskReader, findFiles, type ManifestProblem } from './files.js';
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
}

/** Reads a complete fleet from a file or folder and follows it; what cannot be read never replaces what was read before. */
export async function watchFleet(path: string, options: WatchOptions): Promise<WatchedFleet> {
  let seen = await signature(path);
  let current = await load(path);
  const follow = async (): Promise<void> => {
    const now = await signature(path);
    if (now === seen) return;
    seen = now;
    try {
      current = await load(path);
      options.log.info({ path, objects: current.documents.length }, 'the fleet was read again');
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      options.log.warn({ path, error: reason }, 'the fleet cannot be read; the one before stays');
    }
  };
  const stop = whenTouched(path, options, () => void follow());
  return { current: () => current, stop };
}

/** Events where the system has them, and a look from time to time where it has none. */
function whenTouched(path: string, options: WatchOptions, touched: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const poll = setInterval(touched, options.pollMilliseconds ?? 5000);
  poll.unref();
  const watcher = watch(path, { recursive: true, persistent: false }, () => {
    clearTimeout(timer);
    // Editors and git write in several steps; a moment later they are done.
    timer = setTimeout(touched, options.debounceMilliseconds ?? 200);
  });
  watcher.on('error', (error) => {
    options.log.warn({ path, error: error.message }, 'no events for the fleet; it is looked at from time to time');
  });
  return () => {
    watcher.close();
    clearTimeout(timer);
    clearInterval(poll);
  };
}

async function load(path: string): Promise<ManifestFleet> {
  const { documents, problems } = await readManifests([path]);
  const { fleet, problems: faults } = fleetOf(documents, 'complete');
  const all = [...problems, ...faults];
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
async function signature(path: string): Promise<string> {
  const { files } = await findFiles(path, diskReader);
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
