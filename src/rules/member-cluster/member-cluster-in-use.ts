import { lostRunText } from '../../engine/lost-run.js';
import { quoteList, subjectName } from '../../engine/message.js';
import { changeAhead } from '../../engine/plan-change-text.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import type { Facts } from '../../fleet/facts.js';
import { sameJson } from '../../fleet/json.js';
import { memberEffect, type MemberChange, type MemberEffect } from '../../fleet/member-changes.js';
import { fleetKeys, type MemberCluster, type UpdateRun } from '../../fleet/model.js';
import { isActive, isInitialized, isOver } from '../../fleet/run.js';

/** More runs than this are told by their names alone. */
const mostRuns = 5;

const path = [] as const;

export default defineRule({
  id: 'member-cluster-in-use',
  title: 'No member cluster is changed from under a run',
  severity: 'warn',
  appliesTo: [{ family: 'MemberCluster', operations: ['CREATE', 'UPDATE', 'DELETE'] }],
  reads: ['UpdateRun', 'PolicySnapshot', 'MemberCluster'],
  judges: 'write',
  why:
    'KubeFleet computes the stages of a run again every minute and aborts the run for good when they are no longer ' +
    'those it began with: a cluster joined, left, changed its stage or its place in the order. A run that is ' +
    'initialized and started later dies when it is started.',
  fix: 'Let the runs finish first, if this can wait.',

  *check(change, { facts }) {
    const before = change.operation === 'CREATE' ? undefined : change.oldObject;
    const after = change.operation === 'DELETE' ? undefined : change.object;
    if (before?.metadata.deletionTimestamp !== undefined || isSame(before, after)) return;
    const lost = lostRuns({ name: change.name, before, after }, facts);
    for (const { run, effect } of lost.slice(0, mostRuns)) {
      const causes = effect.changes.map((each) => changeAhead(each, run.spec.placementName));
      yield { path, ...lostRunText(run, { causes, isCertain: effect.isCertain }) };
    }
    yield* others(lost.slice(mostRuns).map(({ run }) => run));
  },
});

function isSame(before: MemberCluster | undefined, after: MemberCluster | undefined): boolean {
  return sameJson(before?.metadata.labels, after?.metadata.labels) && sameJson(before?.spec, after?.spec);
}

interface LostRun {
  readonly run: UpdateRun;
  readonly effect: MemberEffect;
}

/** Runs that would not survive, in both scopes, those under way first. */
function lostRuns(change: MemberChange, facts: Facts): readonly LostRun[] {
  const runs = facts.everywhere('UpdateRun').filter((run) => isInitialized(run) && !isOver(run));
  if (runs.length === 0) return [];
  const members = new Map(facts.list('MemberCluster').map((member) => [member.metadata.name, member]));
  const lost = runs.flatMap((run) => {
    const { placementName: placement } = run.spec;
    const snapshots = facts.in(run.metadata.namespace).list('PolicySnapshot', { placement });
    const snapshot = snapshots.find(({ metadata }) => metadata.labels[fleetKeys.isLatest] === 'true');
    const effect = memberEffect({ change, run, snapshot, members });
    return effect.changes.length > 0 ? [{ run, effect }] : [];
  });
  return [...lost.filter(({ run }) => isActive(run)), ...lost.filter(({ run }) => !isActive(run))];
}

function* others(runs: readonly UpdateRun[]): Iterable<Violation> {
  if (runs.length === 0) return;
  const names = runs.map(({ kind, metadata: { name, namespace } }) => subjectName({ kind, name, namespace }));
  yield { path, message: `these runs would not survive it either: ${quoteList(names)}` };
}
