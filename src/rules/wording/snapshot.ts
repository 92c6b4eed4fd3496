import { fleetKeys } from '../../fleet/fleet-keys.js';
import type { ResourceSnapshot } from '../../fleet/model.js';
import { quoted } from '../../fleet/quoted.js';
import { type GroupProblem, type MasterMark, type SnapshotGroups } from '../../fleet/snapshot-group.js';
import { kubectl } from './commands.js';

/** Equals no hash that KubeFleet computes, so that the resources count as changed. */
const noHash = 'unknown';

const keys: Readonly<Record<MasterMark, string>> = {
  index: fleetKeys.resourceIndex,
  hash: fleetKeys.resourceHash,
  count: fleetKeys.snapshotCount,
};

/** `"web-1-snapshot" has no kubernetes-fleet.io/resource-hash`. */
export function lackText({ metadata }: ResourceSnapshot, lacks: readonly MasterMark[]): string {
  return `${quoted(metadata.name)} has no usable ${lacks.map((mark) => keys[mark]).join(' and ')}`;
}

/** What is wrong with the group of an index, behind its name. */
export function groupProblemText(problem: Exclude<GroupProblem, { is: 'missing' }>): string {
  switch (problem.is) {
    case 'no master':
      return `has lost its first part, ${quoted(problem.name)}`;
    case 'unreadable':
      return `cannot be read, ${lackText(problem.master, problem.lacks)}`;
    case 'parts':
      return partsText(problem);
  }
}

function partsText({ found, wanted }: Extract<GroupProblem, { is: 'parts' }>): string {
  if (found > wanted) return `has ${String(found)} parts, and its first part counts ${String(wanted)}`;
  return `is not whole, ${String(found)} of its ${String(wanted)} parts ${found === 1 ? 'is' : 'are'} there`;
}

interface Broken {
  readonly snapshot: ResourceSnapshot;
  readonly lacks: readonly MasterMark[];
  readonly groups: SnapshotGroups;
}

/** Puts back what a master has lost. */
export function putBack({ snapshot, lacks, groups }: Broken): readonly string[] {
  const { annotations, labels } = lostMarks({ snapshot, lacks, groups });
  return [change('annotate', snapshot, annotations), change('label', snapshot, labels)].flat();
}

/**
 * After this, a run without an index takes a new snapshot at once: it finds a snapshot that it can read, whose hash is that
 * of nothing, and which is not marked as the latest, so that no interval has to pass. What is deployed stays as it is.
 */
export function outdate({ snapshot, lacks, groups }: Broken): readonly string[] {
  const { annotations, labels } = lostMarks({ snapshot, lacks, groups });
  return [
    change('annotate', snapshot, { ...annotations, [keys.hash]: noHash }),
    change('label', snapshot, { ...labels, [fleetKeys.isLatest]: 'false' }),
  ].flat();
}

type Marks = Readonly<Record<string, string>>;

function lostMarks({ snapshot, lacks, groups }: Broken): { readonly annotations: Marks; readonly labels: Marks } {
  const lost = new Set(lacks);
  const index = snapshot.metadata.labels[fleetKeys.resourceIndex] ?? '';
  return {
    annotations: {
      ...(lost.has('hash') && { [keys.hash]: noHash }),
      ...(lost.has('count') && { [keys.count]: String(Math.max(1, groups.of(index).length)) }),
    },
    labels: lost.has('index') ? { [keys.index]: indexInName(snapshot) } : {},
  };
}

/** Every name of a snapshot ends in its index and one word more. */
function indexInName({ metadata }: ResourceSnapshot): string {
  return /-(\d+)-[a-z0-9]+$/.exec(metadata.name)?.[1] ?? '0';
}

function change(verb: string, { metadata }: ResourceSnapshot, marks: Marks): readonly string[] {
  const words = Object.entries(marks).map(([key, value]) => `${key}=${value}`);
  if (words.length === 0) return [];
  const { name, namespace } = metadata;
  return [kubectl(verb, { family: 'ResourceSnapshot', name, namespace }, ...words, '--overwrite')];
}
