import { lostRunText } from '../wording/lost-run.js';
import { quoteList, subjectName } from '../../engine/message.js';
import { changesAhead } from '../wording/plan-change.js';
import { defineRule } from '../../engine/rule.js';
import { sameJson } from '../../fleet/json.js';
import { firstOf, lostRuns } from '../../fleet/lost-runs.js';
import type { MemberCluster, UpdateRun } from '../../fleet/model.js';
import { quoted } from '../../fleet/quoted.js';
import { behaves } from '../../fleet/versions.js';

/** More runs than this are told by their names alone; more names than these do not fit into a warning. */
const mostRuns = 5;
const mostNames = 5;

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

  *check(change, { facts, policy }) {
    const before = change.operation === 'CREATE' ? undefined : change.oldObject;
    const after = change.operation === 'DELETE' ? undefined : change.object;
    if (before?.metadata.deletionTimestamp !== undefined || isSame(before, after)) return;
    const changed = { name: change.name, before, after };
    const runs = facts.everywhere('UpdateRun', { over: 'no' });
    const lost = firstOf(mostRuns + mostNames + 1, lostRuns(changed, runs, facts));
    const isInFlux = behaves(policy.kubefleet.version, 'clusters-kept') === 'perhaps';
    const soft = isInFlux ? ({ path, atMost: 'warn' } as const) : { path };
    for (const { run, effect } of lost.slice(0, mostRuns)) {
      const causes = changesAhead(effect.changes, run.spec.placementName);
      yield { ...soft, ...lostRunText(run, { causes, isCertain: effect.isCertain && !isInFlux }) };
    }
    for (const message of others(
      lost.slice(mostRuns).map(({ run }) => run),
      isInFlux,
    ))
      yield { ...soft, message };
  },
});

function isSame(before: MemberCluster | undefined, after: MemberCluster | undefined): boolean {
  return sameJson(before?.metadata.labels, after?.metadata.labels) && sameJson(before?.spec, after?.spec);
}

function others(runs: readonly UpdateRun[], isInFlux: boolean): readonly string[] {
  if (runs.length === 0) return [];
  const names = runs.map(({ kind, metadata: { name, namespace } }) => subjectName({ kind, name, namespace }));
  const shown = names.slice(0, mostNames);
  const list = names.length === shown.length ? quoteList(names) : `${shown.map(quoted).join(', ')} and more of them`;
  return [`these runs ${isInFlux ? 'may' : 'would'} not survive it either: ${list}`];
}
