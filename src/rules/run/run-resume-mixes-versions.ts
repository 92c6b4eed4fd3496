import { newestOf, versionsText } from '../wording/cluster-versions.js';
import { replacement } from '../wording/new-run.js';
import { count, fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { overwrittenClusters } from '../../fleet/cluster-versions.js';
import { quoted } from '../../fleet/quoted.js';
import { isInitialized, isOver } from '../../fleet/run.js';

export default defineRule({
  id: 'run-resume-mixes-versions',
  title: 'A run that goes on finds its clusters as it left them',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' }],
  after: ['run-finished'],
  reads: ['Binding'],
  mentions: ['UpdateRun'],
  why: 'KubeFleet never looks again at a cluster that a run has updated. If another run has rolled out something else there meanwhile, this one goes on with the clusters that are left and reports success, with the fleet on two versions.',
  fix: 'Create a new run that takes all clusters to one resource snapshot, and delete this one.',

  *check({ object: run }, { facts }) {
    if (isOver(run) || !isInitialized(run)) return;
    const { placementName, stagedRolloutStrategyName } = run.spec;
    const overwritten = overwrittenClusters(run, facts.list('Binding', { placement: placementName }));
    if (overwritten.length === 0) return;
    const number = new Set(overwritten.map(({ cluster }) => cluster)).size;
    const own = run.status.resourceSnapshotIndexUsed ?? '';
    const newest = newestOf(overwritten);
    const spec = { placementName, stagedRolloutStrategyName, resourceSnapshotIndex: own };
    yield {
      path: ['spec', 'state'],
      message:
        `${count(number, 'cluster')} that this run has updated to resource snapshot ${quoted(own)} ` +
        `${number === 1 ? 'has' : 'have'} something else by now: ${versionsText(overwritten)}; ` +
        'KubeFleet would leave that so, finish the other clusters, and report success with clusters on different versions',
      fix: fixWith(
        'Create a new run, which takes all clusters to one resource snapshot, and delete this one. This one takes them to that of the old run:',
        ...replacement(run, spec, facts),
        ...(newest === undefined ? [] : [`# To what was rolled out since: resourceSnapshotIndex: ${quoted(newest)}`]),
      ),
    };
  },
});
