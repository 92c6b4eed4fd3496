import { kubectl } from '../../engine/commands.js';
import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import type { UpdateRun } from '../../fleet/model.js';

/** The hub agent takes up a run within a second; a restart of it takes up to 60 s more (leader election). */
const longestMinutes = 2;

export default defineRule({
  id: 'run-controller-alive',
  title: 'Somebody takes up new runs',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  reads: ['UpdateRun'],
  why: 'Where the hub agent is down, or was started without its controllers for staged runs, a run is stored and nothing happens, without any status.',
  fix: 'Check that the hub agent runs and has enableStagedUpdateRunAPIs set.',

  *check({ object: run }, { facts, now }) {
    const ignored = facts
      .list('UpdateRun')
      .filter((other) => other.metadata.name !== run.metadata.name && isIgnored(other, now));
    if (ignored.length === 0) return;
    const names = ignored.map(({ metadata }) => metadata.name);
    yield {
      path: [],
      message: `nothing has taken up ${names.length === 1 ? 'run' : 'runs'} ${quoteList(names)}, created more than ${String(longestMinutes)} minutes ago; this run may wait as well`,
      fix: fixWith(
        'Check that the hub agent runs and has enableStagedUpdateRunAPIs set.',
        kubectl('get', { family: 'UpdateRun', namespace: facts.namespace }),
        'kubectl get pods -n fleet-system',
      ),
    };
  },
});

/** The controller's first act is to add its finalizer. */
function isIgnored({ metadata, status }: UpdateRun, now: number): boolean {
  const created = Date.parse(metadata.creationTimestamp ?? '');
  const isUntouched = metadata.finalizers.length === 0 && status.conditions.length === 0;
  return isUntouched && metadata.deletionTimestamp === undefined && now - created > longestMinutes * 60_000;
}
