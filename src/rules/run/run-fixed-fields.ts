import { nextRunName, runManifest } from '../../engine/manifest.js';
import { fixWith } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import type { RunSpec, UpdateRun } from '../../fleet/model.js';

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
    'The API of KubeFleet lets nobody change what a run rolls out, where and in which stages, nor take a run back to ' +
    'where it was before its start. A manifest under the name of an earlier run is such a change.',
  fix: 'Give the new run a name of its own.',

  *check({ object, oldObject, name, namespace }, { facts }) {
    const changed = fixed.filter((field) => isChanged(oldObject.spec[field], object.spec[field]));
    const taken = new Set(facts.some('UpdateRun').map(({ metadata }) => metadata.name));
    const next = { name: nextRunName(name, taken), namespace, spec: object.spec };
    for (const field of changed) {
      yield {
        path: ['spec', field],
        message: `run "${name}" is there already, with ${field} "${oldObject.spec[field] ?? ''}", and keeps it`,
        fix: fixWith('Give the new run a name of its own, for example this one.', ...runManifest(next)),
      };
    }
    // A run that is taken for another one has no state of its own.
    if (changed.length === 0) yield* stateFault(oldObject, object);
  },
});

/** The API takes a first index, and one that is taken away. */
function isChanged(before: RunSpec[(typeof fixed)[number]], now: RunSpec[(typeof fixed)[number]]): boolean {
  return before !== undefined && now !== undefined && before !== now;
}

function* stateFault({ spec: before }: UpdateRun, { spec: now }: UpdateRun): Iterable<Violation> {
  if (closedWays[before.state]?.includes(now.state) !== true) return;
  yield {
    path: ['spec', 'state'],
    message: `the state of a run does not go from ${before.state} to ${now.state}`,
    fix: fixWith(
      before.state === 'Initialize'
        ? 'A run that was never started needs no stop.'
        : 'Write the state that the run has; a manifest without one means Initialize.',
      `state: ${before.state}`,
    ),
  };
}
