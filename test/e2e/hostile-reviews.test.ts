import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer, Api, Json } from './harness/api.js';
import { storeRequest, storeRun } from './approvals/prepared.js';
import { expectStored, type Hub } from './harness/hub.js';
import { conditionNow } from './harness/hub-objects.js';
import { pathOf } from './harness/paths.js';
import { admitTenant } from './harness/tenant.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { joinMembers, objectOf, placement, stage, strategy } from './harness/world.js';

/* A tenant with rights in one namespace writes objects that are made to keep the guard from reading or answering. */

const home = 'team-a';
/** One object of each family, for each way to spoil it. */
const ways = ['deep', 'wide', 'named', 'noted'] as const;
type Way = (typeof ways)[number];

const nested = (levels: number): Json => JSON.parse('{"f:a":'.repeat(levels) + '{}' + '}'.repeat(levels)) as Json;
const keys = (count: number, prefix: string): string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${String(index)}`);
const managed = (fieldsV1: Json): Json => ({
  managedFields: [
    {
      manager: 'mallory',
      operation: 'Update',
      apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
      time: '2026-11-16T08:00:00Z',
      fieldsType: 'FieldsV1',
      fieldsV1,
    },
  ],
});
/** What a tenant may write into the metadata of what is its own. */
const spoilt: Readonly<Record<Way, Json>> = {
  deep: managed(nested(150)),
  wide: managed(Object.fromEntries(keys(21_000, 'f:k').map((key) => [key, {}]))),
  named: { labels: Object.fromEntries(keys(21_000, 'k').map((key) => [key, 'v'])) },
  noted: { annotations: Object.fromEntries(keys(21_000, 'k').map((key) => [key, ''])) },
};

async function prepare(hub: Hub): Promise<void> {
  for (const way of ways) {
    expectStored(await hub.api('admin').create(pathOf('Placement', home), placement(home, way)));
    await storeRun(hub, { scope: home, name: way, gates: [{ stage: 'canary' }] });
    await storeRequest(hub, { scope: home, name: `${way}-after-canary`, target: { run: way, stage: 'canary' } });
  }
}

const it = useGuardedHub({ heldBack: [...ways], before: prepare });
beforeAll(async () => {
  await joinMembers(it().hub);
  await admitTenant(it().hub, home);
});
const mallory = (): Api => it().hub.api('mallory');
const messageOf = ({ status, body }: Answer): string => `${status}: ${String(body['message'])}`;

describe.each(ways)('an object with metadata that is %s', (way) => {
  const path = {
    approval: pathOf('ApprovalRequest', home, `${way}-after-canary`),
    run: pathOf('UpdateRun', home, way),
    placement: pathOf('Placement', home, way),
  };
  const refusedFor = (rule: string): RegExp => new RegExp(`^403: .*denied[^]*\\[${rule}\\]`);
  beforeAll(async () => {
    for (const each of Object.values(path)) {
      expectStored(await mallory().patch(each, 'merge', { metadata: spoilt[way] }));
    }
  });

  test('opens no gate', async () => {
    const conditions = [conditionNow('ApprovalAccepted', { observedGeneration: 1 })];
    const forged = await mallory().patch(`${path.approval}/status`, 'merge', { status: { conditions } });
    expect(messageOf(forged)).toMatch(refusedFor('approval-conditions'));
    expect((await mallory().get(path.approval)).body['status']).toBeUndefined();
  });

  test('is no request made beforehand', async () => {
    const spec = { parentStageRollout: way, targetStage: 'production' };
    const request = objectOf('ApprovalRequest', home, `${way}-before-production`, spec);
    const metadata = { ...(request['metadata'] as Json), ...spoilt[way] };
    const made = await mallory().create(pathOf('ApprovalRequest', home), { ...request, metadata });
    expect(messageOf(made)).toMatch(refusedFor('approval-created-by-controller'));
  });

  test('ends no run by its status', async () => {
    const status = { conditions: [conditionNow('Succeeded')] };
    expect(messageOf(await mallory().patch(`${path.run}/status`, 'merge', { status }))).toMatch(
      refusedFor('run-status-owner'),
    );
  });

  test('takes no placement from under a run by an edit', async () => {
    const edit = { spec: { policy: { tolerations: [{ key: 'drained', operator: 'Exists' }] } } };
    expect(messageOf(await mallory().patch(path.placement, 'merge', edit))).toMatch(refusedFor('placement-in-use'));
  });

  test('nor by a deletion', async () => {
    expect(messageOf(await mallory().delete(path.placement))).toMatch(refusedFor('placement-in-use'));
  });

  test('keeps nobody from the brake', async () => {
    expectStored(await mallory().patch(path.run, 'merge', { spec: { state: 'Stop' } }));
    expectStored(await mallory().delete(path.run));
    expectStored(await mallory().delete(path.approval));
  });
});

describe('a tenant that sends what takes long to judge, again and again', () => {
  const values = (index: number): string[] =>
    Array.from({ length: 1_420 }, (_, at) => `v${String(index * 1_420 + at)}`.padEnd(63, 'x'));
  const stages = Array.from({ length: 31 }, (_, index) =>
    stage(`s${String(index)}`, {
      labelSelector: { matchExpressions: [{ key: 'k', operator: 'NotIn', values: values(index) }] },
    }),
  );
  const hostile = strategy(home, 'hostile', stages);
  const attack = `${pathOf('UpdateStrategy', home)}?dryRun=All`;

  test('disturbs nobody: good strategies are stored, forged approvals are refused, all of them', async () => {
    let isOver = false;
    const attacker = async (): Promise<readonly Answer[]> => {
      const answers: Answer[] = [];
      while (!isOver) answers.push(await mallory().create(attack, hostile));
      return answers;
    };
    const attacks = [attacker(), attacker(), attacker()];
    const alice = it().hub.api('alice');
    const seen: string[] = [];
    for (let round = 0; round < 14; round++) {
      const good = await alice.create(
        pathOf('UpdateStrategy', undefined),
        strategy(undefined, `good-${String(round)}`),
      );
      const spec = { parentStageRollout: 'release', targetStage: 'canary' };
      const name = `release-${String(round)}-after-canary`;
      const forged = await alice.create(
        pathOf('ApprovalRequest', undefined),
        objectOf('ApprovalRequest', undefined, name, spec),
      );
      seen.push(`${String(good.status)} ${String(forged.status)}`);
      expect(messageOf(forged)).toContain('[approval-created-by-controller]');
    }
    isOver = true;
    const answers = (await Promise.all(attacks)).flat();
    expect(seen).toEqual(Array(14).fill('201 403'));
    expect(answers.length).toBeGreaterThan(3);
    for (const answer of answers)
      expect(messageOf(answer)).toContain('[strategy-size] spec.stages: there are 44020 values');
  }, 120_000);
});
