import { cannotChangeIndex, hasFixedIndex, replacement } from '../wording/new-run.js';
import { listSnapshots } from '../wording/commands.js';
import { yamlString } from '../wording/manifest.js';
import { groupProblemText, lackText, outdate, putBack } from '../wording/snapshot.js';
import { fixWith } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import type { Facts } from '../../fleet/facts.js';
import type { UpdateRun } from '../../fleet/model.js';
import { quoted } from '../../fleet/quoted.js';
import { snapshotGroupsFor } from '../../fleet/rollout.js';
import { indexOf, type GroupProblem, type SnapshotGroups } from '../../fleet/snapshot-group.js';
import { snapshotChoices } from '../targets.js';

/** At most this many indices are spelled out; KubeFleet keeps 10 by default. */
const mostIndices = 10;

const path = ['spec', 'resourceSnapshotIndex'];

export default defineRule({
  id: 'run-snapshot-exists',
  title: 'The resource snapshot of a run exists and is whole',
  severity: 'deny',
  appliesTo: snapshotChoices,
  after: ['run-snapshot-index', 'run-placement-exists'],
  reads: ['ResourceSnapshot'],
  mentions: ['UpdateRun'],
  why:
    'KubeFleet fails a run for good if its placement has no resource snapshot of that index, and rolls nothing out where ' +
    'a part of the snapshot is missing. A new placement has none at all until its first run makes one, and old ones are ' +
    'removed (spec.revisionHistoryLimit). A run without an index never gets a status where KubeFleet cannot read the ' +
    'latest snapshot.',
  fix: 'Name a resource snapshot that exists, or leave resourceSnapshotIndex out.',

  *check(change, { facts }) {
    const { object: run } = change;
    const { resourceSnapshotIndex: index, placementName } = run.spec;
    const groups = snapshotGroupsFor(run, facts);
    const placement = `placement ${quoted(placementName)}`;
    if (index === undefined) {
      yield* withoutIndex(placement, groups);
      return;
    }
    const problem = groups.problemOf(index);
    if (problem === undefined) return;
    yield {
      path,
      message: `${problemText(placement, index, problem)}; ${othersText(groups)}`,
      fix:
        hasFixedIndex(change) && problem.is !== 'unreadable'
          ? newRunFix(run, groups, facts)
          : fixFor(problem, groups, listSnapshots(placementName, facts.namespace)),
    };
  },
});

function newRunFix(run: UpdateRun, groups: SnapshotGroups, facts: Facts): string {
  const { placementName, stagedRolloutStrategyName } = run.spec;
  const [newest] = groups.whole();
  const latest = newest === undefined ? groups.latest() : undefined;
  const marks = latest === undefined ? [] : outdate({ snapshot: latest, lacks: groups.latestLacks(), groups });
  const index = newest === undefined ? {} : { resourceSnapshotIndex: newest };
  return fixWith(
    cannotChangeIndex,
    ...(marks.length > 0 ? ['# First mark the broken snapshot as outdated (this may take a fleet admin):'] : []),
    ...marks,
    ...replacement(run, { placementName, stagedRolloutStrategyName, ...index }, facts),
  );
}

function problemText(placement: string, index: string, problem: GroupProblem): string {
  if (problem.is === 'missing') return `${placement} has no resource snapshot ${quoted(index)}`;
  return `resource snapshot ${quoted(index)} of ${placement} ${groupProblemText(problem)}`;
}

/** KubeFleet makes a new snapshot, or takes the latest, and has to read the latest to tell. */
function* withoutIndex(placement: string, groups: SnapshotGroups): Iterable<Violation> {
  const latest = groups.latest();
  if (latest === undefined) return;
  const lacks = groups.latestLacks();
  const fix = fixWith(
    `Mark snapshot ${quoted(latest.metadata.name)} as outdated (this may take a fleet admin), then try again: it then makes a new one.`,
    ...outdate({ snapshot: latest, lacks, groups }),
  );
  if (lacks.length > 0) {
    yield {
      path,
      message: `the latest resource snapshot of ${placement} cannot be read: ${lackText(latest, lacks)}`,
      fix,
    };
    return;
  }
  const index = indexOf(latest);
  const problem = groups.problemOf(index);
  if (problem === undefined || problem.is === 'missing') return;
  // KubeFleet adds what is missing, or makes a new snapshot; only if the resources have just changed does it take this one.
  yield {
    path,
    message: `no index is set, and the latest resource snapshot ${quoted(index)} ${groupProblemText(problem)}: a run that takes it gets stuck`,
    fix,
    atMost: 'warn',
  };
}

const leaveOut =
  'Remove resourceSnapshotIndex from the run: it then makes a snapshot of the resources as they are now.';

function fixFor(problem: GroupProblem, groups: SnapshotGroups, list: string): string {
  if (problem.is === 'unreadable') {
    return fixWith(
      'Put back what the snapshot has lost (this may take a fleet admin; any text will do for a hash), then try again.',
      ...putBack({ snapshot: problem.master, lacks: problem.lacks, groups }),
    );
  }
  const latest = groups.latest();
  const [newest] = groups.whole();
  if (newest !== undefined) {
    return fixWith(
      groups.isLatestWhole
        ? 'Name one that exists, or leave resourceSnapshotIndex out to roll out the latest resources.'
        : 'Name one that is whole.',
      `resourceSnapshotIndex: ${yamlString(newest)}`,
      list,
    );
  }
  if (latest === undefined) return leaveOut;
  return fixWith(
    `Mark snapshot ${quoted(latest.metadata.name)} as outdated (this may take a fleet admin), and remove resourceSnapshotIndex from the run: it then makes a new one.`,
    ...outdate({ snapshot: latest, lacks: groups.latestLacks(), groups }),
  );
}

/** `there is "7" (the latest), "6" and "5"`. */
function othersText(groups: SnapshotGroups): string {
  const [newest, ...older] = groups.whole();
  if (newest === undefined) return groups.isEmpty ? 'it has none before its first run' : 'there is no other';
  const shown = older.slice(0, mostIndices - 1).map((index) => quoted(index));
  const more = older.length - shown.length;
  const last = more > 0 ? `${String(more)} more` : shown.pop();
  const first = [`${quoted(newest)}${newest === groups.indices()[0] ? ' (the latest)' : ''}`, ...shown].join(', ');
  return `there is ${last === undefined ? first : `${first} and ${last}`}`;
}
