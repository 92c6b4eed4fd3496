import type { Api, Answer, Json } from '../../test/e2e/harness/api.js';
import { expectStored } from '../../test/e2e/harness/hub.js';
import { headOf, pathOf } from '../../test/e2e/harness/paths.js';
import * as fleet from '../large-fleet.js';
import { inParallel, storeAll } from './hub-fleet.js';
import { labelled, type Way } from './ways.js';

/** Writes of one kind, any number of them. */
export interface Writes {
  readonly name: string;
  /** What must be there before they are sent. */
  prepare(way: Way, names: readonly string[]): Promise<void>;
  send(way: Way, name: string, index: number): Promise<Answer>;
  /** What must be gone before others are sent. */
  tidy(names: readonly string[]): Promise<void>;
}

const nothing = (): Promise<void> => Promise.resolve();

/** As a user sends them; what KubeFleet itself would have written comes from its own account. */
export function writesOf(user: Api, hubAgent: Api, waitingRun: string): readonly Writes[] {
  const object = (family: 'UpdateStrategy' | 'UpdateRun', way: Way, name: string, spec: unknown): Json => ({
    ...headOf(family, undefined),
    metadata: { name, labels: labelled(way) },
    spec,
  });
  return [
    {
      name: 'strategy create',
      prepare: nothing,
      send: (way, name) =>
        user.create(pathOf('UpdateStrategy', undefined), object('UpdateStrategy', way, name, fleet.strategy['spec'])),
      tidy: nothing,
    },
    {
      name: 'approval status',
      prepare: (way, names) =>
        storeAll(
          hubAgent,
          'ApprovalRequest',
          names.map((name) => approvalOf(way, name, waitingRun)),
        ),
      send: (_, name) =>
        user.patch(pathOf('ApprovalRequest', undefined, `${name}/status`), 'merge', {
          status: { conditions: [fleet.approved] },
        }),
      tidy: nothing,
    },
    {
      name: 'run create',
      prepare: nothing,
      send: (way, name, index) =>
        user.create(
          pathOf('UpdateRun', undefined),
          object('UpdateRun', way, name, {
            placementName: `placement-${String(index)}`,
            stagedRolloutStrategyName: 'rings',
            resourceSnapshotIndex: '0',
            state: 'Run',
          }),
        ),
      // Each placement takes one run at a time.
      tidy: (names) =>
        inParallel(names, async (name) => void expectStored(await user.delete(pathOf('UpdateRun', undefined, name)))),
    },
  ];
}

function approvalOf(way: Way, name: string, run: string): Json {
  const { apiVersion, kind, metadata } = fleet.approval(0) as { apiVersion: string; kind: string; metadata: Json };
  const labels = { ...(metadata['labels'] as Json), ...labelled(way), 'kubernetes-fleet.io/targetUpdateRun': run };
  return { apiVersion, kind, metadata: { name, labels }, spec: { parentStageRollout: run, targetStage: 'ring0' } };
}
