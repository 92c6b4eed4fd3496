import { quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { bindingsFor } from '../../fleet/rollout.js';
import { quoted } from '../../fleet/quoted.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-removes-clusters',
  title: 'A run that takes resources away from clusters says so',
  severity: 'warn',
  appliesTo: initializations,
  after: ['run-placement-exists', 'run-placement-scheduled'],
  reads: ['Placement', 'PolicySnapshot', 'Binding'],
  why: 'After its stages a run deletes the resources from every cluster that the placement no longer picks. If such a cluster cannot be reached, the run hangs there without becoming stuck.',
  fix: 'If the clusters are to keep the resources, change the policy of the placement before the run starts.',

  *check({ object: run }, { facts }) {
    const clusters = bindingsFor(run, facts)?.toDelete ?? [];
    if (clusters.length === 0) return;
    yield {
      path: ['spec', 'placementName'],
      message: `the run will delete the resources of placement ${quoted(run.spec.placementName)} from ${quoteList(clusters)}`,
    };
  },
});
