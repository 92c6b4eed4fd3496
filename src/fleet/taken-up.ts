import type { UpdateRun } from './model.js';

/** Whether the hub agent has touched a run: its first act is to add a finalizer (KubeFleet updaterun/controller.go). */
export function isTakenUp({ metadata, status }: UpdateRun): boolean {
  return metadata.finalizers.length > 0 || status.conditions.length > 0;
}
