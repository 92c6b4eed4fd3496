import { kubectl } from '../../engine/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { fleetKeys } from '../../fleet/model.js';

export default defineRule({
  id: 'run-latest-snapshot',
  title: 'A run without an index may roll out the old resources',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-placement-exists'],
  reads: ['Placement', 'ResourceSnapshot'],
  why: 'With its default intervals KubeFleet takes no new snapshot within 30 seconds of the last one and 15 seconds of a change: a run without an index then rolls out the previous resources again and reports success.',
  fix: 'Create the run with state Initialize, compare status.resourceSnapshotIndexUsed, then start it.',

  *check({ object: run, name, namespace }, { facts }) {
    const { placementName, resourceSnapshotIndex } = run.spec;
    if (resourceSnapshotIndex !== undefined || facts.get('Placement', placementName) === undefined) return;
    const latest = facts
      .list('ResourceSnapshot', { placement: placementName })
      .find(({ metadata }) => metadata.labels[fleetKeys.isLatest] === 'true');
    const index = latest?.metadata.labels[fleetKeys.resourceIndex];
    if (index === undefined) return;
    yield {
      path: ['spec', 'resourceSnapshotIndex'],
      message: `no index is set: resources changed within the last 30 seconds may be left out, and snapshot "${index}" rolled out again`,
      fix: fixWith(
        'Create the run with state Initialize, and start it if this shows the index you expect.',
        kubectl('get', { family: 'UpdateRun', name, namespace }, '-o', 'jsonpath={.status.resourceSnapshotIndexUsed}'),
      ),
    };
  },
});
