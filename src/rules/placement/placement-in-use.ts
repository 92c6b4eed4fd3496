import type { Deletion, Update } from '../../engine/change.js';
import { afterwards, kubectl, otherwise } from '../wording/commands.js';
import { harmPath, harmText, type Harm } from '../wording/placement-harm.js';
import { fixWith } from '../../engine/message.js';
import { defineRule, type Context, type Violation } from '../../engine/rule.js';
import { deleteRun, describeRun, waitForRun } from '../wording/run.js';
import { kindIn } from '../../fleet/kinds.js';
import { firstOf } from '../../fleet/lost-runs.js';
import type { UpdateRun } from '../../fleet/model.js';
import { addedOwners, isPutBack, placementChanges } from '../../fleet/placement-changes.js';
import { isActive, isInitialized, isUnderWay, openRuns } from '../../fleet/run.js';
import { historyLimit, snapshotsFrom } from '../../fleet/snapshot-history.js';
import { quoted } from '../../fleet/quoted.js';

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
    'clusters, its applyStrategy or its type has changed, or when it is gone. The clusters are left half updated. An ' +
    'object that owns a placement takes the placement with it when it goes, and nobody is asked about that.',
  fix: 'Let the run finish, or delete it, before you change the placement.',

  *check(change, context) {
    if (change.oldObject.metadata.deletionTimestamp !== undefined) return;
    const isShorter = change.operation === 'UPDATE' && historyLimit(change.object) < historyLimit(change.oldObject);
    const harms = harmsOf(change);
    if (harms.length === 0 && !isShorter) return;
    const runs = openRuns(context.facts.list('UpdateRun', { placement: change.name }));
    if (harms.length > 0) yield* firstOf(mostRuns, harmed({ change, harms }, runs, context));
    if (isShorter && runs.length > 0) yield* firstOf(mostRuns, pushedOut(change, runs, context));
  },
});

/** What a write may do to a run. Computed once for all of them: a placement can be large, and have thousands of runs. */
function harmsOf(change: Write): readonly Harm[] {
  if (change.operation === 'DELETE') return [{ what: 'deletion' }];
  const { object, oldObject } = change;
  const [owner] = addedOwners(oldObject.metadata, object.metadata);
  return [
    ...placementChanges({ before: oldObject.spec, now: object.spec }),
    ...(owner === undefined ? [] : [{ what: 'owner', ...owner } as const]),
  ];
}

interface Blow {
  readonly change: Write;
  readonly harms: readonly Harm[];
}

function* harmed({ change, harms }: Blow, runs: readonly UpdateRun[], { now }: Context): Iterable<Violation> {
  for (const run of runs) {
    const suffered = harms.filter((harm) => reaches(harm, run, now) && !isUndone(harm, change, run));
    if (suffered.length > 0) yield violationFor({ change, harms: suffered }, run);
  }
}

function violationFor({ change, harms }: Blow, run: UpdateRun): Violation {
  const { name } = run.metadata;
  const causes = harms.map(harmText).join(', and ');
  const [first = { what: 'deletion' } as const] = harms;
  const path = harmPath(first);
  const who = `run ${quoted(name)} (${describeRun(run)})`;
  if (isActive(run)) {
    return { path, message: `${who} would be aborted for good: ${causes}`, fix: wayOut(change, run, first) };
  }
  const fate = isUnderWay(run) ? 'would be aborted for good' : 'could not be started any more';
  const message = `${who} ${fate}: ${causes}; create a new run afterwards`;
  const fix = fixWith('Create a new run after this change, and delete this one.', deleteRun(name, change.namespace));
  return { path, message, fix, atMost: 'warn' };
}

function isUndone(harm: Harm, change: Write, { status }: UpdateRun): boolean {
  if (change.operation === 'DELETE' || harm.what === 'deletion' || harm.what === 'owner') return false;
  return isPutBack(harm, change.object.spec, status);
}

/** A run that is not initialized has no picture of its placement yet, but must find it whole when it makes one. */
function reaches({ what }: Harm, run: UpdateRun, now: number): boolean {
  if (isInitialized(run) || what === 'deletion' || what === 'owner' || what === 'type') return true;
  const age = now - Date.parse(run.metadata.creationTimestamp ?? '');
  return what !== 'apply strategy' && age < initializedWithinMilliseconds;
}

function wayOut({ operation, name, namespace }: Write, run: UpdateRun, { what }: Harm): string {
  const again = operation === 'DELETE' ? 'delete the placement' : 'make this change';
  const scheduled = `--for=condition=${kindIn('Placement', namespace).kind}Scheduled`;
  return fixWith(
    `Let the run finish, then ${again}. Or give the run up: delete it (nothing is rolled back), then ${again}.`,
    waitForRun(run),
    otherwise(deleteRun(run.metadata.name, namespace)),
    ...(what === 'deletion' || what === 'owner'
      ? []
      : [
          '# A new run can be created when the placement is scheduled again:',
          afterwards(kubectl('wait', { family: 'Placement', name, namespace }, scheduled, '--timeout=60s')),
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
      message: `the next resource snapshot would push out snapshot ${quoted(used)}, and run ${quoted(run.metadata.name)} (${describeRun(run)}), which rolls it out, would get stuck; a limit of ${String(kept + 1)} keeps it`,
      fix: 'Lower the limit when the run has finished.',
      atMost: 'warn',
    };
  }
}
