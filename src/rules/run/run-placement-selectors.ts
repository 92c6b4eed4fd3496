import { kubectl } from '../../engine/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { badSelectorsOf } from '../../fleet/scheduling.js';

export default defineRule({
  id: 'run-placement-selectors',
  title: 'The resource selectors of the placement are sound',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['CREATE'] }],
  after: ['run-placement-exists'],
  reads: ['Placement'],
  why: 'A run without an index takes a new snapshot of the selected resources; if the placement selects what it may not, KubeFleet fails the run.',
  fix: 'Mend the resource selectors of the placement.',

  *check({ object: run, namespace }, { facts }) {
    const name = run.spec.placementName;
    const placement = facts.get('Placement', name);
    if (placement === undefined || run.spec.resourceSnapshotIndex !== undefined) return;
    const fault = badSelectorsOf(placement);
    if (fault === undefined) return;
    const reason = (fault.message ?? '').replaceAll(/\s+/g, ' ').trim();
    yield {
      path: ['spec', 'placementName'],
      message: `placement "${name}" has resource selectors that KubeFleet cannot follow${reason === '' ? '' : `: ${reason}`}`,
      fix: fixWith(
        'Mend spec.resourceSelectors of the placement, then apply the run again.',
        kubectl('edit', { family: 'Placement', name, namespace }),
      ),
    };
  },
});
