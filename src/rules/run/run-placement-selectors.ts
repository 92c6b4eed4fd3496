import { kubectl } from '../../engine/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { kindIn } from '../../fleet/kinds.js';
import { conditionOf } from '../../fleet/model.js';

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
    const scheduled = conditionOf(placement.status.conditions, `${kindIn('Placement', namespace).kind}Scheduled`);
    // KubeFleet reports bad selectors in the condition about scheduling (placement/controller.go handleUpdate).
    if (scheduled?.status !== 'False' || scheduled.reason !== 'InvalidResourceSelectors') return;
    yield {
      path: ['spec', 'placementName'],
      message: `placement "${name}" has resource selectors that KubeFleet cannot follow: ${scheduled.message ?? 'no reason given'}`,
      fix: fixWith(
        'Mend spec.resourceSelectors of the placement, then apply the run again.',
        kubectl('edit', { family: 'Placement', name, namespace }),
      ),
    };
  },
});
