import { kubectl } from '../../engine/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { fleetKeys } from '../../fleet/model.js';

const column = 'custom-columns=NAME:.metadata.name,SNAPSHOT:.status.resourceSnapshotIndexUsed';

export default defineRule({
  id: 'run-latest-snapshot',
  title: 'A run without an index may roll out the old resources',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-placement-exists'],
  reads: ['Placement', 'ResourceSnapshot'],
  why: 'A run without an index takes a new snapshot if the resources have changed. But with its default intervals KubeFleet only notes a change when a run first finds it: this run rolls out the previous resources again and reports success, and only a run at least 15 seconds later gets the new ones.',
  fix: 'Create the run with state Initialize, compare status.resourceSnapshotIndexUsed, then start it.',

  *check({ object: run, name, namespace }, { facts }) {
    const { placementName, resourceSnapshotIndex, state } = run.spec;
    if (resourceSnapshotIndex !== undefined || facts.get('Placement', placementName) === undefined) return;
    const latest = facts
      .list('ResourceSnapshot', { placement: placementName })
      .find(({ metadata }) => metadata.labels[fleetKeys.isLatest] === 'true');
    const index = latest?.metadata.labels[fleetKeys.resourceIndex];
    if (index === undefined) return;
    yield {
      path: ['spec', 'resourceSnapshotIndex'],
      message: `no index is set: if the resources have changed since snapshot "${index}", the first run may still roll out "${index}"${state === 'Run' ? '; create it with state Initialize to see which it takes' : ''}`,
      fix: fixWith(
        `Create the run with state Initialize and see which snapshot it takes. If that is "${index}" although the resources have changed, delete the run and create it again 30 seconds later.`,
        kubectl('get', { family: 'UpdateRun', ...(name !== '' && { name }), namespace }, '-o', column),
      ),
      // Where the operator refuses this, the way that the fix names has to stay open.
      ...(state !== 'Run' && { atMost: 'warn' }),
    };
  },
});
