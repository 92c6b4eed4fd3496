import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fleet from '../large-fleet.js';

type Json = Readonly<Record<string, unknown>>;

/** Placements that have 100 clusters each; those beyond have few, or no file could hold them. */
const largePlacements = 100;
const clustersOfOthers = 3;

/** Writes a fleet of 1,000 clusters with as many placements, strategies and runs into files of a folder. */
export function writeFleet(folder: string, count: number): string {
  mkdirSync(folder);
  const write = (name: string, of: number, make: (index: number) => readonly Json[]): void => {
    const items = Array.from({ length: of }, (_, index) => make(index)).flat();
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  };
  write('members', fleet.sizes.memberClusters, (index) => [fleet.memberCluster(index)]);
  write('placements', count, (index) => [withoutClusters(fleet.placement(index))]);
  write('policies', count, (index) => [policyOf(index)]);
  write('snapshots', count, (index) => [fleet.resourceSnapshot(index)]);
  write('bindings', count, (index) => fleet.bindings(index).slice(0, clustersOf(index)));
  write('strategies', count, (index) => [index === 0 ? fleet.strategy : strategyOf(index)]);
  // The first waits for the approval that is given; the others are over.
  write('runs', count, (index) => [index === 0 ? waitingRun() : withoutStages(fleet.run(count + index))]);
  write('approvals', 1, () => [{ ...fleet.approval(0), status: {} }]);
  return folder;
}

function clustersOf(index: number): number {
  return index < largePlacements ? fleet.sizes.clustersOfPlacement : clustersOfOthers;
}

/** No rule reads what a placement says of each of its clusters. */
function withoutClusters(placement: Json): Json {
  return { ...placement, status: { ...(placement['status'] as Json), placementStatuses: [] } };
}

function policyOf(index: number): Json {
  const snapshot = fleet.policySnapshot(index);
  const status = snapshot['status'] as { readonly targetClusters: readonly Json[] };
  return { ...snapshot, status: { ...status, targetClusters: status.targetClusters.slice(0, clustersOf(index)) } };
}

function strategyOf(index: number): Json {
  const name = `rings-${String(index)}`;
  return { ...fleet.strategy, metadata: { ...(fleet.strategy['metadata'] as Json), name } };
}

/** On a placement of its own, at the gate after its first stage. */
function waitingRun(): Json {
  const run = fleet.activeRun(0);
  const status = run['status'] as { readonly stagesStatus: readonly Json[] };
  const [first = {}, ...later] = status.stagesStatus;
  const asked = { type: 'ApprovalRequestCreated', status: 'True', reason: 'ApprovalRequestCreated' };
  const gate = { type: 'Approval', approvalRequestName: 'run-0-after-ring0', conditions: [asked] };
  const progressing = { type: 'Progressing', status: 'False', reason: 'StageUpdatingWaiting', message: 'waits' };
  const stagesStatus = [{ ...first, conditions: [progressing], afterStageTaskStatus: [gate] }, ...later];
  return {
    ...run,
    spec: { ...(run['spec'] as Json), placementName: `placement-${String(largePlacements - 1)}` },
    status: { ...status, stagesStatus },
  };
}

function withoutStages(run: Json): Json {
  return { ...run, status: { ...(run['status'] as Json), stagesStatus: [], deletionStageStatus: undefined } };
}
