import { fixWith } from '../engine/message.js';
import { conditionOf, type Condition, type UpdateRun } from '../fleet/model.js';
import { quoted, quotedSentence } from '../fleet/quoted.js';
import type { BindingReport } from '../fleet/reports.js';
import { snapshotIndexOf } from '../rules/wording/run.js';
import { ageOf, ageText, longestBackOff } from './ages.js';
import { conditionEvidence, evidenceOf } from './evidence.js';
import { resourceTrouble } from './failed-resources.js';
import { agentTrouble } from './member-agent.js';
import { bindingFor, writerOf, type Scene } from './scene.js';
import { current, type Place, type Trouble } from './trouble.js';
import { afterRepair, describePlacement, seeHubAgent, seeOther } from './ways-out.js';

/** Nothing where the cluster is on its way, or where nobody can tell. */
export function troublesOn(cluster: string, scene: Scene): readonly Trouble[] {
  const binding = bindingFor(cluster, scene);
  if (binding === undefined) return told(withoutBinding(cluster, scene));
  const place = { cluster, binding, scene };
  const [taken] = [...told(takenOver(place)), ...told(letGo(place))];
  return taken === undefined ? steps[firstOpen(binding)](place) : [taken];
}

function told(...troubles: readonly (Trouble | undefined)[]): readonly Trouble[] {
  return troubles.filter((trouble) => trouble !== undefined);
}

/** In the order in which KubeFleet takes them; a placement that only compares reports differences in the end. */
const order = ['RolloutStarted', 'Overridden', 'WorkSynchronized'] as const;
type Step = (typeof order)[number] | 'Applied' | 'Available' | 'DiffReported' | 'done';

/** The first step that a binding has not taken. */
function firstOpen(binding: BindingReport): Step {
  const last =
    current(binding, 'DiffReported') === undefined ? (['Applied', 'Available'] as const) : (['DiffReported'] as const);
  return [...order, ...last].find((type) => current(binding, type)?.status !== 'True') ?? 'done';
}

const steps: Readonly<Record<Step, (place: Place) => readonly Trouble[]>> = {
  RolloutStarted: () => [],
  Overridden: notDone('Overridden', 'the overrides for it cannot be worked out'),
  WorkSynchronized: notDone('WorkSynchronized', 'what it is to get cannot be written to the hub'),
  DiffReported: notDone('DiffReported', 'it cannot be told how it differs from the hub'),
  Applied: (place) => notThrough(place, 'Applied'),
  Available: (place) => notThrough(place, 'Available'),
  done: (place) => [recovered(place)],
};

/** All bindings may be out of sight; a single one that is missing is gone. */
function withoutBinding(cluster: string, { run, reports, facts }: Scene): Trouble | undefined {
  const { items, complete } = reports.bindings;
  if (!complete || items.length === 0) return undefined;
  const placement = facts.some('Placement').find(({ metadata }) => metadata.name === run.spec.placementName);
  return {
    is: 'hard',
    what: `cluster ${quoted(cluster)} has no binding any more: the placement has let go of it, by an eviction or because it no longer fits`,
    evidence: [
      evidenceOf(
        placement ?? run,
        placement === undefined ? 'status' : 'spec.policy',
        `no binding for ${quoted(cluster)}`,
      ),
    ],
    fix: lost(run),
  };
}

function takenOver({ cluster, binding, scene: { run } }: Place): Trouble | undefined {
  const index = snapshotIndexOf(run);
  const own = `${run.spec.placementName}-${index ?? ''}-snapshot`;
  if (index === undefined || binding.resourceSnapshotName === '' || binding.resourceSnapshotName === own)
    return undefined;
  const writer = writerOf(binding);
  const by = writer === undefined || writer === run.metadata.name ? '' : ` by run ${quoted(writer)}`;
  const started = conditionOf(binding.conditions, 'RolloutStarted');
  return {
    is: 'taken',
    what: `cluster ${quoted(cluster)} has been taken over${by}: it has ${quoted(binding.resourceSnapshotName)}, this run brings ${quoted(own)}`,
    evidence: [
      evidenceOf(binding, 'spec.resourceSnapshotName', quoted(binding.resourceSnapshotName)),
      ...(started === undefined ? [] : [conditionEvidence(binding, started)]),
    ],
    fix: seeOther(writer, run),
  };
}

function letGo({ cluster, binding, scene: { run } }: Place): Trouble | undefined {
  if (binding.state !== 'Unscheduled' && binding.deletionTimestamp === undefined) return undefined;
  const { deletionTimestamp } = binding;
  return {
    is: 'hard',
    what: `the placement has let go of cluster ${quoted(cluster)} while this run was updating it`,
    evidence: [
      evidenceOf(binding, 'spec.state', quoted(binding.state)),
      ...(deletionTimestamp === undefined
        ? []
        : [evidenceOf(binding, 'metadata.deletionTimestamp', quoted(deletionTimestamp))]),
    ],
    fix: lost(run),
  };
}

function lost(run: UpdateRun): string {
  return fixWith(
    'Find out why the placement no longer picks the cluster; this run comes to an end over it, and a new one is needed.',
    describePlacement(run),
  );
}

/** Steps of which KubeFleet says itself what is in the way. */
function notDone(type: Step, what: string): (place: Place) => readonly Trouble[] {
  return ({ cluster, binding, scene }) => {
    const condition = conditionOf(binding.conditions, type);
    if (condition?.status !== 'False') return [];
    return [
      {
        is: 'hard',
        what: `cluster ${quoted(cluster)}: ${what}: ${quotedSentence(condition.message ?? condition.reason ?? '')}`,
        evidence: [conditionEvidence(binding, condition)],
        fix: afterRepair('Fix what the message names.', scene.run),
      },
    ];
  };
}

/** Who reports comes before what is reported: of an agent that is silent, the last words are old. */
function notThrough(place: Place, type: 'Applied' | 'Available'): readonly Trouble[] {
  const [agent, resources] = [agentTrouble(place), resourceTrouble(place, type)];
  if (agent === undefined && resources === undefined) return told(unexplained(place, current(place.binding, type)));
  return agent?.is === 'hard' ? told(agent, resources) : told(resources ?? agent);
}

/** The binding says that something is wrong and not what. */
function unexplained({ cluster, binding, scene }: Place, condition: Condition | undefined): Trouble | undefined {
  if (condition?.status !== 'False') return undefined;
  return {
    is: 'slow',
    what: `cluster ${quoted(cluster)} does not get through: ${quotedSentence(condition.message ?? condition.reason ?? '')}`,
    evidence: [conditionEvidence(binding, condition)],
    fix: afterRepair('Look at the works of this cluster.', scene.run),
  };
}

/** The run does not watch bindings: it looks again within its back-off. */
function recovered({ cluster, binding, scene }: Place): Trouble {
  const condition = current(binding, 'DiffReported') ?? current(binding, 'Available');
  const age = ageOf(condition?.lastTransitionTime, scene.now) ?? 0;
  const isLate = age > longestBackOff;
  const has = `cluster ${quoted(cluster)} has all that this run brings, for ${ageText(condition?.lastTransitionTime, scene.now) ?? 'a while'}`;
  return {
    is: isLate ? 'hard' : 'over',
    what: isLate
      ? `${has}, and KubeFleet has not noticed: its hub agent may be down`
      : `${has}; KubeFleet goes on when it next looks`,
    evidence: condition === undefined ? [] : [conditionEvidence(binding, condition)],
    fix: isLate ? seeHubAgent() : '',
  };
}
