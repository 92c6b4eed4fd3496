import { kubectl } from '../../engine/commands.js';
import { count, fixWith, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { bindingsFor, schedulingFor } from '../../fleet/rollout.js';
import type { Bindings } from '../../fleet/scheduling.js';

export default defineRule({
  id: 'run-has-clusters',
  title: 'The placement of a run has the clusters it asks for',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-placement-exists', 'run-placement-scheduled'],
  reads: ['Placement', 'PolicySnapshot', 'Binding'],
  why: 'KubeFleet fails a run of a placement that no cluster is scheduled for, and one whose bindings are not as many as its policy asks for. A policy that takes all clusters counts as scheduled even if none fits.',
  fix: 'Join or label clusters so that the policy of the placement picks them, then apply the run again.',

  *check({ object: run, namespace }, { facts }) {
    const scheduling = schedulingFor(run, facts);
    const bindings = bindingsFor(run, facts);
    if (scheduling?.is !== 'scheduled' || bindings === undefined) return;
    const name = run.spec.placementName;
    const look = kubectl('describe', { family: 'Placement', name, namespace });
    const shortage = shortageOf(bindings, scheduling.clusterCount);
    if (shortage === undefined) return;
    yield {
      path: ['spec', 'placementName'],
      message: `placement "${name}" ${shortage.message}`,
      ...(shortage.mayHeal
        ? {
            fix: fixWith(
              'Wait a few seconds, then apply the run again. This shows the clusters of the placement:',
              look,
            ),
            settling: `bindings of ${namespace ?? ''}/${name}`,
          }
        : {
            fix: fixWith(
              'Join or label clusters so that the policy of the placement picks them, then apply the run again. This shows the policy:',
              look,
            ),
          }),
    };
  },
});

/** What a run would fail for; numbers and old bindings settle by themselves. */
function shortageOf({ scheduled, toDelete, stale }: Bindings, wanted = scheduled.length): Shortage | undefined {
  if (scheduled.length !== wanted) {
    const bound = `${String(scheduled.length)} ${scheduled.length === 1 ? 'is' : 'are'} bound so far`;
    return { message: `asks for ${count(wanted, 'cluster')}, but ${bound}`, mayHeal: true };
  }
  if (scheduled.length + toDelete.length > 0) return undefined;
  if (stale.length > 0) {
    return { message: `still has clusters bound by its previous policy: ${quoteList(stale)}`, mayHeal: true };
  }
  return { message: 'is scheduled, but no cluster fits its policy', mayHeal: false };
}

interface Shortage {
  readonly message: string;
  readonly mayHeal: boolean;
}
