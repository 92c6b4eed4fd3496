import { modesAsShipped } from '../../../src/engine/policy.js';
import { floorObjects, type FloorSettings } from '../../../src/floor/objects.js';
import { floorPolicies } from '../../../src/floor/policy.js';
import { catalogue } from '../../../src/rules/index.js';
import type { Answer } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { expectStored, type Hub } from '../harness/hub.js';
import { headOf, pathOf } from '../harness/paths.js';
import { users } from '../harness/users.js';

const registration = '/apis/admissionregistration.k8s.io/v1';

export const pathOfKind = {
  ValidatingAdmissionPolicy: `${registration}/validatingadmissionpolicies`,
  ValidatingAdmissionPolicyBinding: `${registration}/validatingadmissionpolicybindings`,
} as const;

/** A floor whose policies are all in force, since there is no guard. */
export const alone: FloorSettings = {
  prefix: 'stageguard',
  hubAgent: { users: [users.hubAgent.name], confirmed: 'auto' },
  guard: undefined,
  modes: modesAsShipped,
};

const probe = { metadata: { name: 'probe' } };
const specs = {
  UpdateRun: { placementName: 'shop', stagedRolloutStrategyName: 'rings' },
  UpdateStrategy: { stages: [{ name: 'all', labelSelector: {} }] },
  ApprovalRequest: { parentStageRollout: 'release', targetStage: 'canary' },
} as const;
type Probed = keyof typeof specs;

/** Installs the floor, and waits until each of its policies refuses. */
export async function installFloor(hub: Hub, settings: FloorSettings = alone): Promise<void> {
  const admin = hub.api('admin');
  for (const family of ['UpdateRun', 'ApprovalRequest'] as const) {
    expectStored(
      await admin.create(pathOf(family, undefined), { ...headOf(family, undefined), ...probe, spec: specs[family] }),
    );
  }
  for (const object of floorObjects(floorPolicies(catalogue), settings)) {
    expectStored(await admin.create(pathOfKind[object.kind], object));
  }
  for (const [rule, send] of Object.entries(probesOf(hub))) {
    await eventually(`the floor's ${rule} is in force`, async () => floorRuleIn(await send()) === rule || undefined);
  }
}

/** A write that only this rule refuses, for each rule of the floor. */
function probesOf(hub: Hub): Readonly<Record<string, () => Promise<Answer>>> {
  const admin = hub.api('admin');
  const create =
    (family: Probed, spec: object, { name = 'probed', version = 'v1beta1' } = {}) =>
    (): Promise<Answer> =>
      admin.create(`${pathOf(family, undefined, '', version)}?dryRun=All`, {
        ...headOf(family, undefined, version),
        metadata: { name },
        spec: { ...specs[family], ...spec },
      });
  const stage = (more: object) => create('UpdateStrategy', { stages: [{ name: 'a', labelSelector: {}, ...more }] });
  const setStatus = (family: Probed, type: string) => (): Promise<Answer> => {
    const times = { lastTransitionTime: '2026-01-02T03:04:05Z', observedGeneration: 1 };
    const status = { conditions: [{ type, status: 'True', reason: 'ok', message: '', ...times }] };
    return admin.patch(`${pathOf(family, undefined, 'probe/status')}?dryRun=All`, 'merge', { status });
  };
  return {
    'strategy-stages-present': create('UpdateStrategy', { stages: [] }),
    'strategy-size': stage({ sortingLabelKey: 'x'.repeat(318) }),
    'strategy-stage-names-unique': create('UpdateStrategy', { stages: [{ name: 'a' }, { name: 'a' }] }),
    'strategy-tasks-valid': stage({ afterStageTasks: [{ type: 'Approval' }, { type: 'Approval' }] }),
    'strategy-wait-time': stage({ afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] }),
    'strategy-max-concurrency': stage({ maxConcurrency: 3e9 }),
    'strategy-selector-valid': stage({ labelSelector: { matchLabels: { '': '' } } }),
    'run-snapshot-index': create('UpdateRun', { resourceSnapshotIndex: '01' }),
    'run-api-version': create('UpdateStrategy', {}, { version: 'v1alpha1' }),
    'run-status-owner': setStatus('UpdateRun', 'Succeeded'),
    'approval-created-by-controller': create('ApprovalRequest', {}, { name: 'release-after-canary' }),
    'approval-conditions': setStatus('ApprovalRequest', 'Odd'),
  };
}

/** The rule in whose name a policy refuses; undefined for what is admitted, or refused by something else. */
export function floorRuleIn({ body }: Answer): string | undefined {
  return /denied request: \[([-a-z]+)\]/.exec(String(body['message']))?.[1];
}
