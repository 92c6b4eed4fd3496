import { Facts } from '../fleet/facts.js';
import { conditionOf, type UpdateRun } from '../fleet/model.js';
import type { FleetState } from '../fleet/state.js';
import type { Scene } from './scene.js';

/**
 * The same scene where bindings must have been there and none is to be seen: whoever looks may not read them, or has not
 * written them down. Nothing is concluded from that; rules that need them say that they do not know.
 */
export function withoutConclusions(scene: Scene): Scene {
  const { run, fleet, reports } = scene;
  if (reports.bindings.items.length > 0 || !hadClusters(run)) return scene;
  const unsure: FleetState = {
    get: (family, key) => fleet.get(family, key),
    list: (family, query) => (family === 'Binding' ? { items: [], complete: false } : fleet.list(family, query)),
  };
  return { ...scene, fleet: unsure, facts: new Facts(unsure, run.metadata.namespace) };
}

/** By the stages of the run, or by what KubeFleet said of clusters when it failed. */
function hadClusters({ status }: UpdateRun): boolean {
  const { message = '' } = conditionOf(status.conditions, 'Initialized') ?? {};
  return (
    status.stagesStatus?.some(({ clusters }) => clusters.length > 0) === true ||
    /not placed in any stage|appears in more than one stage|sorting label/.test(message)
  );
}
