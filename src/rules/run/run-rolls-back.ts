import { versionsText } from '../wording/cluster-versions.js';
import { replacement } from '../wording/new-run.js';
import { count, fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { newerClusters } from '../../fleet/cluster-versions.js';
import { quoted } from '../../fleet/quoted.js';
import { isInitialized, isOver } from '../../fleet/run.js';

export default defineRule({
  id: 'run-rolls-back',
  title: 'A run that waited takes no cluster back to old resources',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' }],
  after: ['run-finished', 'run-plan-unchanged', 'run-resume-mixes-versions'],
  reads: ['Binding'],
  mentions: ['UpdateRun'],
  why: 'A run keeps the resource snapshot that it was initialized with. Where another run has rolled out a newer one before it is started, KubeFleet takes the clusters back without a word.',
  fix: 'Start this run only if the older resources are wanted.',

  *check({ object: run }, { facts }) {
    if (isOver(run) || !isInitialized(run)) return;
    const { placementName, stagedRolloutStrategyName } = run.spec;
    const newer = newerClusters(run, facts.list('Binding', { placement: placementName }));
    if (newer.length === 0) return;
    const own = run.status.resourceSnapshotIndexUsed ?? '';
    const spec = { placementName, stagedRolloutStrategyName, resourceSnapshotIndex: own };
    yield {
      path: ['spec', 'state'],
      message: `the run takes ${count(newer.length, 'cluster')} back to resource snapshot ${quoted(own)}: ${versionsText(newer)}`,
      fix: fixWith(
        'If the clusters are to go back, say so with a new run that names the index, such as this; in any case delete this one.',
        ...replacement(run, spec, facts),
      ),
    };
  },
});
