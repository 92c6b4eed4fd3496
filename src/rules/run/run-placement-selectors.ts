import { kubectl } from '../wording/commands.js';
import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { selectionProblems, type SelectionProblem } from '../../fleet/resource-selection.js';
import { badSelectorsOf } from '../../fleet/scheduling.js';
import { quoted, quotedSentence } from '../../fleet/quoted.js';
import { behaves } from '../../fleet/versions.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-placement-selectors',
  title: 'The resource selectors of the placement are sound',
  severity: 'deny',
  appliesTo: initializations,
  after: ['run-placement-exists'],
  reads: ['Placement'],
  why: 'A run without an index takes a new snapshot of the selected resources; if the placement selects what it may not, KubeFleet fails the run. What the placement says of its own selectors may be half an hour old, and is told as a warning.',
  fix: 'Fix the resource selectors of the placement.',

  *check({ object: run, namespace }, { facts, policy }) {
    if (behaves(policy.kubefleet.version, 'snapshots-by-runs') === 'no') return;
    const name = run.spec.placementName;
    const placement = facts.get('Placement', name);
    if (placement === undefined || run.spec.resourceSnapshotIndex !== undefined) return;
    const fix = fixWith(
      'Fix spec.resourceSelectors of the placement, then try again.',
      kubectl('edit', { family: 'Placement', name, namespace }),
    );
    const path = ['spec', 'placementName'];
    const problems = selectionProblems(placement);
    for (const problem of problems) {
      yield {
        path,
        message: `placement ${quoted(name)} has a resource selector that KubeFleet cannot follow: ${textOf(problem)}`,
        fix,
      };
    }
    const reported = badSelectorsOf(placement);
    if (problems.length > 0 || reported === undefined) return;
    const reason = (reported.message ?? '').trim();
    yield {
      path,
      message: `KubeFleet could not follow the resource selectors of placement ${quoted(name)} when it last looked; this run fails if it still cannot${reason === '' ? '' : `: ${quotedSentence(reason)}`}`,
      fix,
      atMost: 'warn',
    };
  },
});

function textOf({ index, why, name }: SelectionProblem): string {
  const where = `spec.resourceSelectors[${String(index)}]`;
  return why === 'reserved namespace'
    ? `${where} selects ${quoted(name)}, a namespace that is never propagated`
    : `${where} selects a Namespace, which does not lie in a namespace`;
}
