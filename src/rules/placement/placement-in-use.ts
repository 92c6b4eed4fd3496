import type { Deletion, Update } from '../../engine/change.js';
import { kubectl } from '../../engine/commands.js';
import { harmPath, harmText, type Harm } from '../../engine/harm-text.js';
import { fixWith } from '../../engine/message.js';
import { defineRule, type Context, type Violation } from '../../engine/rule.js';
import { deleteRun, describeRun, waitForRun } from '../../engine/run-text.js';
import { kindIn } from '../../fleet/kinds.js';
import { firstOf } from '../../fleet/lost-runs.js';
import type { UpdateRun } from '../../fleet/model.js';
import { placementChanges } from '../../fleet/placement-changes.js';
import { isActive, isInitialized, isOver, isUnderWay } from '../../fleet/run.js';
import { historyLimit, snapshotsFrom } from '../../fleet/snapshot-history.js';

type Write = Update<'Placement'> | Deletion<'Placement'>;

/** More runs than this only hide the first. */
const mostRuns = 5;

/** The hub agent initializes a run within seconds; until then it may meet the placement half-changed. */
const initializedWithinMilliseconds = 60_000;

export default defineRule({
  id: 'placement-in-use',
  title: 'No placement is changed from under a run',
  severity: 'deny',
  appliesTo: [{ family: 'Placement', operations: ['UPDATE', 'DELETE'] }],
  reads: ['UpdateRun', 'ResourceSnapshot'],
  judges: 'write',
  why:
    'KubeFleet looks at the placement of a run every minute and aborts the run for good when its policy, its number of ' +
    'clusters, its applyStrategy or its type has changed, or when it is gone. The clusters are left half updated.',
  fix: 'Let the run finish, or delete it, before you change the placement.',

  *check(change, context) {
    if (change.oldObject.metadata.deletionTimestamp !== undefined) return;
    const isShorter = change.operation === 'UPDATE' && historyLimit(change.object) < historyLimit(change.oldObject);
    if (harmsFor(change).length === 0 && !isShorter) return;
    const runs = context.facts.list('UpdateRun', { placement: change.name }).filter((run) => !isOver(run));
    const gravestFirst = [...runs.filter(isActive), ...runs.filter((run) => !isActive(run))];
    yield* gravestFirst.flatMap((run) => violationFor(change, run, context)).slice(0, mostRuns);
    if (isShorter && runs.length > 0) yield* firstOf(mostRuns, pushedOut(change, gravestFirst, context));
  },
});

/** What a write does to a run; without one, what it may do to any. */
function harmsFor(change: Write, run?: UpdateRun): readonly Harm[] {
  if (change.operation === 'DELETE') return [{ what: 'deletion' }];
  return placementChanges({ before: change.oldObject.spec, now: change.object.spec, known: run?.status ?? {} });
}

function violationFor(change: Write, run: UpdateRun, { now }: Context): readonly Violation[] {
  const harms = harmsFor(change, run).filter((harm) => reaches(harm, run, now));
  const [first] = harms;
  if (first === undefined) return [];
  const { name } = run.metadata;
  const causes = harms.map(harmText).join(', and ');
  const path = harmPath(first);
  const who = `run "${name}" (${describeRun(run)})`;
  if (isActive(run)) {
    return [{ path, message: `${who} would be aborted for good: ${causes}`, fix: wayOut(change, run) }];
  }
  const fate = isUnderWay(run) ? 'would be aborted for good' : 'could not be started any more';
  const message = `${who} ${fate}: ${causes}; create a new run afterwards`;
  const fix = fixWith('Create a new run after this change, and delete this one.', deleteRun(name, change.namespace));
  return [{ path, message, fix, atMost: 'warn' }];
}

/** A run that is not initialized has no picture of its placement yet, but must find it whole when it makes one. */
function reaches({ what }: Harm, run: UpdateRun, now: number): boolean {
  if (isInitialized(run) || what === 'deletion' || what === 'type') return true;
  const age = now - Date.parse(run.metadata.creationTimestamp ?? '');
  return what !== 'apply strategy' && age < initializedWithinMilliseconds;
}

function wayOut({ operation, name, namespace }: Write, run: UpdateRun): string {
  const again = operation === 'DELETE' ? 'delete the placement' : 'make this change';
  const scheduled = `--for=condition=${kindIn('Placement', namespace).kind}Scheduled`;
  return fixWith(
    `Let the run finish, then ${again}. Or give the run up: delete it (nothing is rolled back), then ${again}.`,
    waitForRun(run.metadata.name, namespace),
    `# or: ${deleteRun(run.metadata.name, namespace)}`,
    ...(operation === 'DELETE'
      ? []
      : [
          '# A new run can be created when the placement is scheduled again:',
          `# ${kubectl('wait', { family: 'Placement', name, namespace }, scheduled, '--timeout=60s')}`,
        ]),
  );
}

/** Before KubeFleet makes a snapshot, it removes the oldest (pkg/utils/controller/resource_snapshot_resolver.go). */
function* pushedOut(
  { object, oldObject, name }: Update<'Placement'>,
  runs: readonly UpdateRun[],
  { facts }: Context,
): Iterable<Violation> {
  const snapshots = facts.list('ResourceSnapshot', { placement: name });
  for (const run of runs) {
    const used = run.status.resourceSnapshotIndexUsed ?? '';
    const kept = snapshotsFrom(used, snapshots);
    if (kept === undefined || kept < historyLimit(object) || kept >= historyLimit(oldObject)) continue;
    yield {
      path: ['spec', 'revisionHistoryLimit'],
      message: `the next resource snapshot would push out snapshot "${used}", and run "${run.metadata.name}" (${describeRun(run)}), which rolls it out, would get stuck; a limit of ${String(kept + 1)} keeps it`,
      fix: 'Lower the limit when the run has finished.',
      atMost: 'warn',
    };
  }
}
