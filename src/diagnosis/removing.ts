import { fixWith } from '../engine/message.js';
import { conditionOf, type ClusterStatus, type UpdateRun } from '../fleet/model.js';
import { isUpdated } from '../fleet/run.js';
import { plain, quoted } from '../fleet/quoted.js';
import type { BindingReport } from '../fleet/reports.js';
import { ageOf, ageText, untilStuck } from './ages.js';
import type { Cause, Evidence, Health } from './diagnosis.js';
import { evidenceOf } from './evidence.js';
import { bindingFor, type Scene } from './scene.js';
import { describePlacement } from './ways-out.js';

/** The clusters that a run is taking its resources from just now. */
export function clustersBeingRemoved({ status }: UpdateRun): readonly ClusterStatus[] {
  const stage = status.deletionStageStatus;
  if (stage === undefined || conditionOf(stage.conditions, 'Succeeded')?.status === 'True') return [];
  return stage.clusters.filter(
    (cluster) => !isUpdated(cluster) && conditionOf(cluster.conditions, 'Started')?.status === 'True',
  );
}

export interface Removal {
  readonly cause: Cause;
  readonly health: Health;
}

/** What keeps a cluster; KubeFleet waits for it without end, and never calls it stuck (updaterun/execution.go executeDeleteStage). */
export function removalOf(cluster: ClusterStatus, scene: Scene): Removal {
  const { run, now } = scene;
  const name = cluster.clusterName;
  const started = conditionOf(cluster.conditions, 'Started')?.lastTransitionTime;
  const isLong = (ageOf(started, now) ?? 0) > untilStuck;
  const age = ageText(started, now);
  const what = `the run takes the resources from cluster ${quoted(name)}${age === undefined ? '' : `, for ${age}`}`;
  const field = `status.deletionStageStatus.clusters[${plain(name)}]`;
  const noted = { ...evidenceOf(run, field, 'Started'), ...(started !== undefined && { since: started }) };
  const binding = bindingFor(name, scene);
  const cause = binding === undefined ? gone({ what, noted, isLong }, scene) : held({ what, noted }, binding, run);
  return { health: isLong ? 'wrong' : 'well', cause };
}

interface Noted {
  readonly what: string;
  readonly noted: Evidence;
}

function gone({ what, noted, isLong }: Noted & { readonly isLong: boolean }, { run, reports }: Scene): Cause {
  const isSeen = reports.bindings.complete;
  const fix = isLong ? fixWith('See that the hub agent runs.', describePlacement(run)) : '';
  if (!isSeen) return { what, evidence: [noted], fix };
  return {
    what: `${what}; its binding is gone already, which KubeFleet notes when it next looks`,
    evidence: [noted, evidenceOf(run, 'spec.placementName', 'no binding for this cluster any more')],
    fix,
  };
}

function held({ what, noted }: Noted, binding: BindingReport, run: UpdateRun): Cause {
  const finalizers = binding.finalizers.map(plain).join(', ');
  return {
    what: `${what}; its binding is still there${finalizers === '' ? '' : `, held by ${finalizers}`}`,
    evidence: [
      noted,
      evidenceOf(binding, 'metadata.deletionTimestamp', plain(binding.deletionTimestamp ?? 'none')),
      evidenceOf(binding, 'metadata.finalizers', finalizers || 'none'),
    ],
    fix: fixWith(
      'See that the member agent of the cluster runs and reaches the hub; the removal goes on by itself then. If the cluster is gone for good, remove it from the fleet.',
      describePlacement(run),
    ),
  };
}
