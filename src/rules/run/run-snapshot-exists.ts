import { listSnapshots } from '../../engine/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { fleetKeys, type ResourceSnapshot } from '../../fleet/model.js';

/** At most this many indices are spelled out; KubeFleet keeps 10 by default. */
const mostIndices = 10;

export default defineRule({
  id: 'run-snapshot-exists',
  title: 'The resource snapshot of a run exists',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-snapshot-index', 'run-placement-exists'],
  reads: ['ResourceSnapshot'],
  why:
    'KubeFleet fails a run for good if its placement has no complete resource snapshot of that index. A new placement ' +
    'has none at all until its first run makes one, and old ones are removed (spec.revisionHistoryLimit).',
  fix: 'Name a resource snapshot that exists, or leave resourceSnapshotIndex out.',

  *check({ object: run }, { facts }) {
    const index = run.spec.resourceSnapshotIndex;
    if (index === undefined) return;
    const { placementName } = run.spec;
    const snapshots = facts.list('ResourceSnapshot', { placement: placementName });
    const group = snapshots.filter((snapshot) => indexOf(snapshot) === index);
    if (group.some(isMaster)) return;
    const placement = `placement "${placementName}"`;
    const fault =
      group.length === 0
        ? `${placement} has no resource snapshot "${index}"`
        : `resource snapshot "${index}" of ${placement} is incomplete, none of its parts has annotation ${fleetKeys.resourceHash}`;
    const none = snapshots.length === 0 ? 'it has none before its first run' : 'there is no other';
    const usable = newestFirst(snapshots.filter(isMaster).map(indexOf));
    yield {
      path: ['spec', 'resourceSnapshotIndex'],
      message: `${fault}; ${usable.length === 0 ? none : `there is ${indexList(usable)}`}`,
      fix: usable.length === 0 ? leaveOut : chooseFrom(usable, listSnapshots(placementName, facts.namespace)),
    };
  },
});

const leaveOut =
  'Remove resourceSnapshotIndex from the run: it then makes a snapshot of the resources as they are now.';

function chooseFrom([latest = '']: readonly string[], list: string): string {
  return fixWith(
    'Name one that exists, or leave resourceSnapshotIndex out to roll out the latest resources.',
    `resourceSnapshotIndex: "${latest}"`,
    list,
  );
}

/** `"7" (the latest), "6" and "5"`. */
function indexList([latest = '', ...older]: readonly string[]): string {
  const shown = older.slice(0, mostIndices - 1).map((index) => `"${index}"`);
  const more = older.length - shown.length;
  const last = more > 0 ? `${String(more)} more` : shown.pop();
  const first = [`"${latest}" (the latest)`, ...shown].join(', ');
  return last === undefined ? first : `${first} and ${last}`;
}

/** KubeFleet updaterun/initialization.go: only the master of a group has a resource hash, and a group needs its master. */
function isMaster(snapshot: ResourceSnapshot): boolean {
  return Boolean(snapshot.metadata.annotations[fleetKeys.resourceHash]);
}

function indexOf(snapshot: ResourceSnapshot): string {
  return snapshot.metadata.labels[fleetKeys.resourceIndex] ?? '';
}

function newestFirst(indices: readonly string[]): readonly string[] {
  const numbers = indices.filter((index) => /^[0-9]+$/.test(index)).map(Number);
  return [...new Set(numbers)].sort((a, b) => b - a).map(String);
}
