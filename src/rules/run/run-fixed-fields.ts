import { nextRunName, runManifest } from '../wording/manifest.js';
import { fixWith } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import type { RunSpec, UpdateRun } from '../../fleet/model.js';
import { quoted } from '../../fleet/quoted.js';

const fixed = ['placementName', 'stagedRolloutStrategyName', 'resourceSnapshotIndex'] as const;

/** Ways that the API of runs does not take (KubeFleet apis/placement/v1beta1/stageupdate_types.go). */
const closedWays: Readonly<Record<string, readonly string[]>> = {
  Initialize: ['Stop'],
  Run: ['Initialize'],
  Stop: ['Initialize'],
};

/** The API server itself refuses these writes, before anyone else is asked; `check` says so before they are sent. */
export default defineRule({
  id: 'run-fixed-fields',
  title: 'A run stays what it was created for',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'] }],
  after: ['run-api-version'],
  reads: [],
  mentions: ['UpdateRun'],
  why:
    'KubeFleet does not allow a change of what a run rolls out, where, and in which stages, and a started run does not go ' +
    'back to Initialize. Applying a manifest under the name of an earlier run is such a change.',
  fix: 'Create a run with another name.',

  *check({ object, oldObject, name, namespace }, { facts }) {
    const changed = fixed.filter((field) => isChanged(written(oldObject.spec, field), written(object.spec, field)));
    const taken = new Set(facts.some('UpdateRun').map(({ metadata }) => metadata.name));
    const next = { name: nextRunName(name, taken), namespace, spec: object.spec };
    for (const field of changed) {
      yield {
        path: ['spec', field],
        message: `run ${quoted(name)} already exists with ${field} ${quoted(oldObject.spec[field] ?? '')}, which cannot be changed`,
        fix: fixWith('Create a run with another name, for example this one.', ...runManifest(next)),
      };
    }
    // A run that is taken for another one has no state of its own.
    if (changed.length === 0) yield* stateProblem(oldObject, object);
  },
});

/** An index that is written and empty counts as written; KubeFleet writes it so where a run has none. */
function written(spec: RunSpec, field: (typeof fixed)[number]): string | undefined {
  return spec[field] ?? (field === 'resourceSnapshotIndex' && spec.hasEmptyIndex ? '' : undefined);
}

/** The API takes a first index, and one that is taken away. */
function isChanged(before: string | undefined, now: string | undefined): boolean {
  return before !== undefined && now !== undefined && before !== now;
}

function* stateProblem({ spec: before }: UpdateRun, { spec: now }: UpdateRun): Iterable<Violation> {
  if (closedWays[before.state]?.includes(now.state) !== true) return;
  yield {
    path: ['spec', 'state'],
    message: `the state of a run cannot change from ${before.state} to ${now.state}`,
    fix: fixWith(
      before.state === 'Initialize'
        ? 'The run was never started, so there is nothing to stop: keep its state.'
        : 'Keep the state that the run has; a manifest without a state means Initialize.',
      `state: ${before.state}`,
    ),
  };
}
