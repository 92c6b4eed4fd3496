import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { eventually } from '../e2e/harness/eventually.js';
import { bothScopes, joinMembers, placement, stage, strategy } from '../e2e/harness/world.js';
import { expectStored } from '../e2e/harness/hub.js';
import { pathOf } from '../e2e/harness/paths.js';
import { startWitness, type Witness } from '../e2e/harness/run-witness.js';
import { Scheduler } from '../e2e/harness/scheduler.js';
import { useHub } from '../e2e/harness/use-hub.js';
import { storeRequest, storeRun } from '../e2e/approvals/prepared.js';
import { useDesk } from '../e2e/install/use-desk.js';
import { commandsOf } from '../e2e/install/documents.js';
import { Contenders, type Contested } from './harness/contenders.js';
import { buildFirstRelease, type Release } from './harness/first-release.js';

/** The API server gives up requests after this; so a claim has settled after it. */
const settleSeconds = 15;

const hub = useHub({ withControllers: true, requestSeconds: settleSeconds });
let first: Release;
const desk = useDesk(hub, () => {
  first = buildFirstRelease(hub().folder);
  return new Map([['first', first.program]]);
});

const contested: readonly Contested[] = bothScopes.map(([, scope]) => ({
  scope,
  free: 'free',
  held: 'held',
  strategy: 'held',
  request: 'held-after-canary',
}));
let witness: Witness;

beforeAll(async () => {
  await joinMembers(hub());
  const scheduler = new Scheduler(hub().api('hubAgent'), () => 0);
  const alice = hub().api('alice');
  for (const { scope, free, held, request } of contested) {
    expectStored(
      await alice.create(
        pathOf('UpdateStrategy', scope),
        strategy(scope, held, [stage('canary'), stage('production')]),
      ),
    );
    for (const name of [free, held])
      expectStored(await alice.create(pathOf('Placement', scope), placement(scope, name)));
    await scheduler.tend(scope);
    await storeRun(hub(), { scope, name: held, gates: [{ stage: 'canary' }] });
    await storeRequest(hub(), { scope, name: request, target: { run: held, stage: 'canary' } });
  }
  witness = await startWitness(
    hub(),
    bothScopes.map(([, scope]) => scope),
  );
}, 60_000);
afterAll(() => witness.stop());

interface Pod {
  readonly metadata: { readonly deletionTimestamp?: string };
  readonly spec: { readonly containers: readonly [{ readonly image: string }] };
  readonly status?: { readonly conditions?: readonly { readonly type: string }[] };
}

/** How many pods of a version answer. */
async function readyOf(tag: string): Promise<number> {
  const { items } = expectStored(
    await hub().api('admin').get('/api/v1/namespaces/fleet-stageguard/pods'),
  ) as unknown as {
    items: readonly Pod[];
  };
  return items.filter(
    ({ metadata, spec, status }) =>
      metadata.deletionTimestamp === undefined &&
      spec.containers[0].image.endsWith(`:${tag}`) &&
      status?.conditions?.some(({ type }) => type === 'Ready') === true,
  ).length;
}

/** Everything that people do goes on: each of it happens some more times. */
async function goesOn(contenders: Contenders, times = 5): Promise<void> {
  const counts = (): readonly number[] => [contenders.started, contenders.refused, contenders.stamped];
  const before = counts();
  await eventually(
    `${times} more of each (${counts().join()}; ${contenders.faults.slice(0, 3).join('; ')})`,
    () => counts().every((count, index) => count >= (before[index] ?? NaN) + times) || undefined,
    90,
  );
}

/** Holds a change of versions half-way, where both answer, until everything has happened there as well. */
async function sideBySide(contenders: Contenders): Promise<void> {
  const { done } = desk();
  await eventually('both versions answer', async () => {
    const [before, after] = await Promise.all(['first', 'now'].map(readyOf));
    return ((before ?? 0) > 0 && (after ?? 0) > 0) || undefined;
  });
  await done('kubectl -n fleet-stageguard rollout pause deployment/stageguard');
  await goesOn(contenders);
  const [before = 0, after = 0] = await Promise.all(['first', 'now'].map(readyOf));
  expect({ before: before > 0, after: after > 0 }).toEqual({ before: true, after: true });
  await done('kubectl -n fleet-stageguard rollout resume deployment/stageguard');
}

/** A setting that both versions have softens the same rule in both, whichever is asked. */
async function expectSettings(): Promise<void> {
  for (let asked = 0; asked < 6; asked++) {
    const empty = strategy(undefined, 'empty', []);
    const { status, warnings } = await hub()
      .api('alice')
      .create(`${pathOf('UpdateStrategy', undefined)}?dryRun=All`, empty);
    expect({ status, isWarned: warnings.some((text) => text.includes('strategy-stages-present')) }).toEqual({
      status: 201,
      isWarned: true,
    });
  }
}

test('from the first release to this one and back, no write is lost, none is let through, and no placement has two runs', async () => {
  const { done, more, node, writers } = desk();
  const values = [
    `image.repository=registry.example.com/stageguard,image.tag=first,replicaCount=2,service.port=${node.port}`,
    `config.claims.settleSeconds=${settleSeconds},config.rules.strategy-stages-present=warn`,
  ];
  await done(
    `helm install stageguard ${first.chart} --namespace fleet-stageguard --create-namespace --wait --set ${values.join()}`,
  );
  await more('refused');
  // Whoever upgrades has runs that the first release has let in.
  const before = writers.letThrough;
  const contenders = new Contenders(hub(), contested);
  try {
    await goesOn(contenders);
    await expectSettings();

    const [upgrade = ''] = commandsOf('upgrade.md', 'Upgrade')[0]?.split('\n') ?? [];
    // The new one has settings that the first does not know.
    await done(`${upgrade} --set image.tag=now,config.defaultMode=deny`);
    await sideBySide(contenders);
    await done('kubectl -n fleet-stageguard rollout status deployment/stageguard');
    await goesOn(contenders);
    await expectSettings();
    expect(await done('kubectl get validatingadmissionpolicies -o name')).not.toBe('');

    await done('helm rollback stageguard --namespace fleet-stageguard');
    await sideBySide(contenders);
    await done('kubectl -n fleet-stageguard rollout status deployment/stageguard');
    await goesOn(contenders);
    await expectSettings();
    expect(await done('kubectl get validatingadmissionpolicies -o name')).toBe('');
  } finally {
    await contenders.stop();
  }
  expect({ contenders: contenders.faults, writers: writers.faults, clashes: witness.clashes }).toEqual({
    contenders: [],
    writers: [],
    clashes: [],
  });
  expect(writers.letThrough).toBe(before);
  expect(hub().forbidden()).toEqual([]);
}, 300_000);
