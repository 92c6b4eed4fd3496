import { isStart, type RunStart } from '../../engine/change.js';
import { endOfFreezes, freezesAt, type Freeze } from '../../engine/freeze.js';
import { quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { wallText } from '../../fleet/calendar.js';
import type { Facts } from '../../fleet/facts.js';
import { quoted } from '../../fleet/quoted.js';
import { timeOf } from '../../fleet/rfc3339.js';
import { placementOf } from '../../fleet/rollout.js';
import { phaseOf } from '../../fleet/run.js';
import { creationsAndStarts } from '../targets.js';

/** Clients that are asked to wait do so for 3 s at a time, ten times, as a rule. */
const secondsWorthWaiting = 30;

export default defineRule({
  id: 'run-frozen',
  title: 'No run is started while the settings forbid it',
  severity: 'deny',
  appliesTo: creationsAndStarts,
  after: ['run-finished'],
  reads: ['Placement', 'UpdateRun'],
  judges: 'write',
  why: 'The operator has named times in which nothing new goes out, under `freeze` in the settings. Runs that are under way go on, and stopping, deleting and approving work as always.',
  fix: 'Start it when the freeze is over, or roll back to a snapshot that a finished run of this placement has rolled out.',

  *check(change, { facts, policy, now }) {
    if (!isStart(change)) return;
    const here = freezesFor(change, policy.freeze);
    const holding = freezesAt(here, now);
    if (holding.length === 0) return;
    const isAbout = (freeze: Freeze): boolean => hasLabels(change, freeze.placementLabels, facts);
    const about = holding.filter(isAbout);
    if (about.length === 0 || isRollback(change, facts)) return;
    const end = endOfFreezes(here.filter(isAbout), now);
    const seconds = end === undefined ? Infinity : Math.ceil((end - now) / 1000);
    yield {
      path: ['spec', 'state'],
      message: `${namesOf(about)}: ${whenText(end, about)}`,
      ...(seconds <= secondsWorthWaiting && { healsInSeconds: seconds }),
    };
  },
});

function freezesFor({ namespace }: RunStart, freezes: readonly Freeze[]): readonly Freeze[] {
  return freezes.filter(
    ({ namespaces }) => namespaces === undefined || (namespace !== undefined && namespaces.includes(namespace)),
  );
}

/**
 * Of a placement that does not exist, nobody can say; that it does not is told by another rule. A freeze that asks for no
 * labels holds for a placement that nobody knows as well.
 */
function hasLabels({ object }: RunStart, wanted: Freeze['placementLabels'], facts: Facts): boolean {
  if (wanted === undefined) return true;
  const placement = placementOf(object, facts);
  return Object.entries(wanted).every(([key, value]) => placement?.metadata.labels[key] === value);
}

/** Whether the run rolls out what another one has rolled out to its end, of the same placement and none of its name before. */
function isRollback({ object, name }: RunStart, facts: Facts): boolean {
  const index = object.status.resourceSnapshotIndexUsed ?? object.spec.resourceSnapshotIndex;
  if (index === undefined) return false;
  const since = timeOf(placementOf(object, facts)?.metadata.creationTimestamp) ?? 0;
  const others = facts.list('UpdateRun', { placement: object.spec.placementName });
  return others.some(
    (other) =>
      other.metadata.name !== name &&
      phaseOf(other) === 'finished' &&
      other.status.resourceSnapshotIndexUsed === index &&
      (timeOf(other.metadata.creationTimestamp) ?? since) >= since,
  );
}

function namesOf(freezes: readonly Freeze[]): string {
  const [only] = freezes;
  if (freezes.length > 1 || only === undefined) return `freezes ${quoteList(freezes.map(({ name }) => name))} hold`;
  const reason = only.reason === undefined ? '' : ` (${quoted(only.reason)})`;
  return `freeze ${quoted(only.name)}${reason} holds`;
}

function whenText(end: number | undefined, [freeze]: readonly Freeze[]): string {
  if (end === undefined || freeze === undefined) return 'when runs may start again is not in sight';
  const utc = new Date(end).toISOString().replace('.000Z', 'Z');
  const inZone = freeze.timeZone === 'UTC' ? '' : ` (${wallText(end, freeze.timeZone)})`;
  return `runs may start again from ${utc} on${inZone}`;
}
