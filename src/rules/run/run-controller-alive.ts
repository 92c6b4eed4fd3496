import { kubectl } from '../wording/commands.js';
import { longestRunName } from '../wording/manifest.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { UpdateRun } from '../../fleet/model.js';
import { isTakenUp, longestUntilTakenUp } from '../../fleet/run.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-controller-alive',
  title: 'Somebody takes up new runs',
  severity: 'warn',
  appliesTo: initializations,
  reads: ['UpdateRun'],
  why: 'Where the hub agent is down, or was started without its controllers for staged runs, a run is stored and nothing happens, without any status.',
  fix: 'Check that the hub agent runs and has enableStagedUpdateRunAPIs set.',

  *check({ name }, { facts, now }) {
    const waiting = facts
      .list('UpdateRun', { takenUp: 'no' })
      .filter((run) => run.metadata.name !== name && isIgnored(run, now));
    if (waiting.length === 0) return;
    // Whoever has taken up a later run is alive; an earlier one was passed over for reasons of its own.
    const takenUp = facts.list('UpdateRun').filter(isTakenUp);
    const lastSeen = takenUp.reduce((latest, run) => Math.max(latest, createdAt(run)), 0);
    const ignored = waiting.filter((run) => createdAt(run) > lastSeen);
    if (ignored.length === 0) return;
    const names = ignored.map(({ metadata }) => metadata.name);
    yield {
      path: [],
      message: `nothing has taken up ${names.length === 1 ? 'run' : 'runs'} ${quoteList(names)}, created more than ${String(longestUntilTakenUp / 60_000)} minutes ago; this run may wait as well`,
      fix: fixWith(
        'Check that the hub agent runs and has enableStagedUpdateRunAPIs set (this may take a fleet admin).',
        kubectl('get', { family: 'UpdateRun', namespace: facts.namespace }),
        'kubectl get pods -n fleet-system',
      ),
    };
  },
});

function createdAt({ metadata }: UpdateRun): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

function isIgnored(run: UpdateRun, now: number): boolean {
  const { name, creationTimestamp, deletionTimestamp } = run.metadata;
  // The finalizer of a name that came in through v1alpha1 is refused when it is too long.
  if (name.length > longestRunName) return false;
  const isOld = now - createdAt(run) > longestUntilTakenUp;
  return creationTimestamp !== undefined && deletionTimestamp === undefined && isOld;
}
