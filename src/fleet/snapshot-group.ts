import { fleetKeys } from './fleet-keys.js';
import type { ResourceSnapshot } from './model.js';

/** What keeps KubeFleet from rolling out the resource snapshots of one index. */
export type GroupProblem =
  | { readonly is: 'missing' }
  | { readonly is: 'no master'; readonly name: string }
  | { readonly is: 'unreadable'; readonly master: ResourceSnapshot; readonly lacks: readonly MasterMark[] }
  | { readonly is: 'parts'; readonly found: number; readonly wanted: number };

/** What a master says of its group, and KubeFleet cannot do without. */
export type MasterMark = 'index' | 'hash' | 'count';

/** The master of a group is asked for by this name (updaterun/execution.go). */
function masterName(placement: string, index: string): string {
  return `${placement}-${index}-snapshot`;
}

export function indexOf({ metadata }: ResourceSnapshot): string {
  return metadata.labels[fleetKeys.resourceIndex] ?? '';
}

/** Go's strconv.Atoi, for what is never large; undefined where that fails. */
function wholeNumber(text = ''): number | undefined {
  return /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined;
}

function hasHash({ metadata }: ResourceSnapshot): boolean {
  return Boolean(metadata.annotations[fleetKeys.resourceHash]);
}

/** How many snapshots make up the group of a master, itself included. */
export function partCount({ metadata }: ResourceSnapshot): number | undefined {
  const count = wholeNumber(metadata.annotations[fleetKeys.snapshotCount]);
  return count !== undefined && count >= 1 ? count : undefined;
}

/** The resource snapshots of one placement, as KubeFleet finds its way among them. */
export class SnapshotGroups {
  private readonly byIndex = new Map<string, ResourceSnapshot[]>();

  constructor(
    private readonly placement: string,
    private readonly snapshots: readonly ResourceSnapshot[],
  ) {
    for (const snapshot of snapshots) {
      const group = this.byIndex.get(indexOf(snapshot));
      if (group === undefined) this.byIndex.set(indexOf(snapshot), [snapshot]);
      else group.push(snapshot);
    }
  }

  get isEmpty(): boolean {
    return this.snapshots.length === 0;
  }

  /** The snapshots of an index: a master, and parts where it is large. */
  of(index: string): readonly ResourceSnapshot[] {
    return this.byIndex.get(index) ?? [];
  }

  /** The master of an index, by its name. */
  master(index: string): ResourceSnapshot | undefined {
    return this.of(index).find(({ metadata }) => metadata.name === masterName(this.placement, index));
  }

  /**
   * Why a run of that index fails, or never gets its work done: it is initialized by the hash (updaterun/
   * initialization.go), executed by the name, and its work is made of as many parts as are counted
   * (pkg/utils/controller/resource_snapshot_resolver.go FetchAllResourceSnapshotsAlongWithMaster).
   */
  problemOf(index: string, run: 'new' | 'initialized' = 'new'): GroupProblem | undefined {
    const group = this.of(index);
    if (group.length === 0) return { is: 'missing' };
    const master = this.master(index);
    if (master === undefined) return { is: 'no master', name: masterName(this.placement, index) };
    const count = partCount(master);
    const lacks = marks({ hash: run === 'initialized' || group.some(hasHash), count: count !== undefined });
    if (count === undefined || lacks.length > 0) return { is: 'unreadable', master, lacks };
    // Of a group of one, nobody looks for parts.
    const found = count === 1 ? 1 : group.length;
    return found === count ? undefined : { is: 'parts', found, wanted: count };
  }

  /** The indices that can be rolled out, the newest first. */
  whole(): readonly string[] {
    return this.indices().filter((index) => this.problemOf(index) === undefined);
  }

  /** The indices that are whole numbers, the newest first. */
  indices(): readonly string[] {
    const numbers = [...this.byIndex.keys()].filter((index) => /^\d+$/.test(index));
    return numbers.sort((a, b) => Number(b) - Number(a));
  }

  /**
   * The snapshot that a run without an index begins with: the one that is marked, else the last (resource_snapshot_resolver.go
   * lookupLatestResourceSnapshot). Undefined where there is none.
   */
  latest(): ResourceSnapshot | undefined {
    const marked = this.snapshots.filter(({ metadata }) => metadata.labels[fleetKeys.isLatest] === 'true');
    return marked.find(hasHash) ?? marked[0] ?? this.snapshots.toSorted(byAge).at(-1);
  }

  /** Whether a run without an index finds its way, whichever snapshot it takes. */
  get isLatestWhole(): boolean {
    const latest = this.latest();
    if (latest === undefined) return true;
    return this.latestLacks().length === 0 && this.problemOf(indexOf(latest)) === undefined;
  }

  /** What the latest lacks; KubeFleet tries for ever without it, and the run never gets a status. */
  latestLacks(): readonly MasterMark[] {
    const latest = this.latest();
    if (latest === undefined) return [];
    const index = wholeNumber(indexOf(latest));
    return marks({
      index: index !== undefined && index >= 0,
      hash: hasHash(latest),
      count: partCount(latest) !== undefined,
    });
  }
}

function marks(has: Partial<Record<MasterMark, boolean>>): readonly MasterMark[] {
  return (['index', 'hash', 'count'] as const).filter((mark) => has[mark] === false);
}

/** By index and then by part; a master has no number of its own and comes last (listSortedResourceSnapshots). */
function byAge(a: ResourceSnapshot, b: ResourceSnapshot): number {
  const part = ({ metadata }: ResourceSnapshot): number =>
    wholeNumber(metadata.annotations[fleetKeys.partIndex]) ?? Infinity;
  const index = (snapshot: ResourceSnapshot): number => wholeNumber(indexOf(snapshot)) ?? -1;
  if (index(a) !== index(b)) return index(a) - index(b);
  return part(a) === part(b) ? 0 : part(a) - part(b);
}
