import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn, type Family } from '../../src/fleet/kinds.js';
import type { Answer, Api, Json } from './harness/api.js';
import { installWebhooks, renderChart } from './harness/chart.js';
import { eventually } from './harness/eventually.js';
import { expectStored } from './harness/hub.js';
import { headOf, pathOf, type Scope } from './harness/paths.js';
import { startRecorder, type Recorder } from './harness/recorder.js';
import { useHub } from './harness/use-hub.js';
import type { User } from './harness/users.js';

const hub = useHub();
let recorder: Recorder | undefined;

beforeAll(async () => {
  recorder = await startRecorder();
  await installWebhooks(hub(), await renderChart(hub(), recorder));
  const dry = `${pathOf('UpdateStrategy', undefined)}?dryRun=All`;
  await eventually('the hooks are in force', async () => {
    await hub()
      .api('admin')
      .create(dry, objectOf('UpdateStrategy', undefined, 'probe'));
    return taken().length > 0 || undefined;
  });
  // The two configurations are taken up one after the other.
  await eventually('the mutating hooks are in force', async () => {
    const gate = objectOf('ApprovalRequest', undefined, 'probe');
    await hub().api('admin').create(pathOf('ApprovalRequest', undefined), gate);
    await hub()
      .api('admin')
      .patch(pathOf('ApprovalRequest', undefined, 'probe/status'), 'merge', approved(1));
    return taken().some((name) => name.endsWith('.mutate')) || undefined;
  });
}, 60_000);
afterAll(() => recorder?.stop());

const taken = (): readonly string[] => recorder?.taken() ?? [];

const specs: Readonly<Record<string, Json>> = {
  UpdateRun: { placementName: 'shop', stagedRolloutStrategyName: 'rings', resourceSnapshotIndex: '0' },
  UpdateStrategy: { stages: [{ name: 'canary', labelSelector: {} }] },
  ApprovalRequest: { parentStageRollout: 'release', targetStage: 'canary' },
  Placement: { resourceSelectors: [{ group: '', version: 'v1', kind: 'Namespace', name: 'shop' }] },
  MemberCluster: { identity: { kind: 'User', name: 'member' } },
  Eviction: { placementName: 'shop', clusterName: 'eu-1' },
};

function objectOf(family: Family, namespace: Scope, name: string, version = 'v1beta1'): Json {
  return { ...headOf(family, namespace, version), metadata: { name }, spec: specs[family] };
}

const condition = (type: string, more: object = {}): object => ({
  type,
  status: 'True',
  reason: 'ok',
  message: '',
  lastTransitionTime: '2026-01-02T03:04:05Z',
  ...more,
});
const approved = (observedGeneration: unknown, ...others: object[]): Json => ({
  status: { conditions: [condition('Approved', { observedGeneration }), ...others] },
});
const denied = { status: { conditions: [condition('Approved', { status: 'False', observedGeneration: 1 })] } };

/**
 * The API server first tries a patch on the object as its cache has it, which may be the one before, and asks about that
 * too. A read of a certain version waits until the cache has it.
 */
async function seenByCache({ path, status, body }: Answer): Promise<void> {
  const { name, resourceVersion } = (body['metadata'] ?? {}) as { name?: string; resourceVersion?: string };
  if (status >= 300 || resourceVersion === undefined) return;
  const [object = ''] = (status === 201 ? `${path}/${name ?? ''}` : path).split('/status');
  await hub().api('admin').get(`${object}?resourceVersion=${resourceVersion}`);
}

/** Sends a write and tells which webhooks were asked about it. */
async function asked(write: Promise<Answer>, status = 200): Promise<readonly string[]> {
  const answer = await write;
  const names = taken();
  await seenByCache(answer);
  expect({ status: answer.status, message: answer.body['message'] }).toEqual({
    status,
    message: status < 300 ? undefined : expect.any(String),
  });
  return names;
}

let count = 0;

/** Stores an object and forgets who was asked about it. */
async function stored(family: Family, namespace: Scope, more: Json = {}): Promise<string> {
  count += 1;
  const name = `object-${count}`;
  const object = objectOf(family, namespace, name);
  const metadata = { ...(object['metadata'] as object), ...(more['metadata'] as object) };
  const spec = { ...(object['spec'] as object), ...(more['spec'] as object) };
  const answer = await hub()
    .api('admin')
    .create(pathOf(family, namespace), { ...object, metadata, spec });
  expectStored(answer);
  await seenByCache(answer);
  taken();
  return name;
}

const as = (user: User): Api => hub().api(user);
const label = { metadata: { labels: { a: 'b' } } };

describe.each([
  ['in cluster scope', undefined],
  ['in a namespace', 'team-a'],
])('%s', (_name, scope) => {
  const patch = (user: User, family: Family, rest: string, [body, version]: [unknown, string?]): Promise<Answer> =>
    as(user).patch(pathOf(family, scope, rest, version), 'merge', body);

  describe.each(kindIn('UpdateRun', scope).versions)('runs through %s', (version) => {
    const isAlpha = version === 'v1alpha1';

    test('creation is asked about', async () => {
      const object = objectOf('UpdateRun', scope, `new-${version}`, version);
      expect(await asked(as('alice').create(pathOf('UpdateRun', scope, '', version), object), 201)).toEqual([
        'run-starts.validate',
      ]);
    });

    test('a label is asked about only where the write loses fields', async () => {
      const name = await stored('UpdateRun', scope);
      expect(await asked(patch('alice', 'UpdateRun', name, [label, version]))).toEqual(
        isAlpha ? ['run-starts.validate'] : [],
      );
    });

    test('a status by anyone but the hub agent is asked about', async () => {
      const name = await stored('UpdateRun', scope);
      const status = { status: { conditions: [condition('Initialized')] } };
      expect(await asked(patch('admin', 'UpdateRun', `${name}/status`, [status, version]))).toEqual([
        'run-status.validate',
      ]);
      expect(await asked(patch('hubAgent', 'UpdateRun', `${name}/status`, [{ status: {} }, version]))).toEqual([]);
    });

    test('a finalizer leaves a run that is being deleted unasked', async () => {
      const name = await stored('UpdateRun', scope, { metadata: { finalizers: ['example.com/hold'] } });
      expect(await asked(as('alice').delete(pathOf('UpdateRun', scope, name, version)))).toEqual([
        'deletions.validate',
      ]);
      const bare = { metadata: { finalizers: null } };
      expect(await asked(patch('alice', 'UpdateRun', name, [bare, version]))).toEqual([]);
    });

    test.each(['x', 5, [], { conditions: ['x'] }, { conditions: { a: 1 } }, { stagesStatus: 'x' }])(
      'the status %j is refused by its schema alone',
      async (status) => {
        const name = await stored('UpdateRun', scope);
        expect(await asked(patch('admin', 'UpdateRun', `${name}/status`, [{ status }, version]), 422)).toEqual([]);
      },
    );
  });

  describe.each(['v1', 'v1beta1'])('states of a run through %s', (version) => {
    test('going to Run is a start, from Initialize and from Stop', async () => {
      const prepared = await stored('UpdateRun', scope);
      const run = { spec: { state: 'Run' } };
      expect(await asked(patch('alice', 'UpdateRun', prepared, [run, version]))).toEqual(['run-starts.validate']);
      expect(await asked(patch('alice', 'UpdateRun', prepared, [run, version]))).toEqual([]);
      expect(await asked(patch('alice', 'UpdateRun', prepared, [{ spec: { state: 'Stop' } }, version]))).toEqual([
        'run-changes.validate',
      ]);
      expect(await asked(patch('alice', 'UpdateRun', prepared, [run, version]))).toEqual(['run-starts.validate']);
    });

    test('what the hub agent adds with its finalizer is no start, under whatever name it writes', async () => {
      const name = await stored('UpdateRun', scope, { spec: { resourceSnapshotIndex: undefined, state: 'Run' } });
      const mark = { metadata: { finalizers: ['a.io/b'] }, spec: { resourceSnapshotIndex: '' } };
      expect(await asked(patch('hubAgent', 'UpdateRun', name, [mark, version]))).toEqual([]);
      const other = await stored('UpdateRun', scope, { spec: { resourceSnapshotIndex: undefined, state: 'Run' } });
      expect(await asked(patch('admin', 'UpdateRun', other, [mark, version]))).toEqual(['run-changes.validate']);
    });
  });

  describe.each(kindIn('UpdateStrategy', scope).versions)('strategies through %s', (version) => {
    test('creation, a change of spec and deletion are asked about, a label only where the write loses fields', async () => {
      const object = objectOf('UpdateStrategy', scope, `new-${version}`, version);
      const path = pathOf('UpdateStrategy', scope, '', version);
      expect(await asked(as('alice').create(path, object), 201)).toEqual(['strategies.validate']);
      const name = `new-${version}`;
      expect(await asked(patch('alice', 'UpdateStrategy', name, [label, version]))).toEqual(
        version === 'v1alpha1' ? ['strategies.validate'] : [],
      );
      const stages = { spec: { stages: [] } };
      expect(await asked(patch('alice', 'UpdateStrategy', name, [stages, version]))).toEqual(['strategies.validate']);
      expect(await asked(as('alice').delete(`${path}/${name}`))).toEqual(['deletions.validate']);
    });

    test('one that is being deleted is asked about as long as its spec changes; its finalizers go unasked', async () => {
      const name = await stored('UpdateStrategy', scope, { metadata: { finalizers: ['a.io/b', 'a.io/c'] } });
      await asked(as('alice').delete(pathOf('UpdateStrategy', scope, name)));
      const stages = { spec: { stages: [{ name: 'late', labelSelector: {} }] } };
      expect(await asked(patch('alice', 'UpdateStrategy', name, [stages, version]))).toEqual(['strategies.validate']);
      const fewer = { metadata: { finalizers: ['a.io/b'] } };
      expect(await asked(patch('alice', 'UpdateStrategy', name, [fewer, version]))).toEqual([]);
      const last = { metadata: { finalizers: null }, spec: { stages: [] } };
      expect(await asked(patch('alice', 'UpdateStrategy', name, [last, version]))).toEqual(['strategies.validate']);
    });
  });

  describe.each(kindIn('ApprovalRequest', scope).versions)('approvals through %s', (version) => {
    const status = (user: User, name: string, body: unknown): Promise<Answer> =>
      patch(user, 'ApprovalRequest', `${name}/status`, [body, version]);

    test('creation is asked about, but for the hub agent', async () => {
      const path = pathOf('ApprovalRequest', scope, '', version);
      const create = (user: User, name: string): Promise<Answer> =>
        as(user).create(path, objectOf('ApprovalRequest', scope, name, version));
      expect(await asked(create('alice', `by-hand-${version}`), 201)).toEqual(['approval-changes.validate']);
      expect(await asked(create('hubAgent', `by-agent-${version}`), 201)).toEqual([]);
    });

    test('deletion is asked about, but for the hub agent', async () => {
      const remove = async (user: User): Promise<Answer> => {
        const name = await stored('ApprovalRequest', scope);
        return as(user).delete(pathOf('ApprovalRequest', scope, name, version));
      };
      expect(await asked(remove('alice'))).toEqual(['deletions.validate']);
      expect(await asked(remove('hubAgent'))).toEqual([]);
    });

    test('a status that is sent to the request itself is asked about, but for the hub agent', async () => {
      const name = await stored('ApprovalRequest', scope);
      const misplaced = (user: User): Promise<Answer> =>
        patch(user, 'ApprovalRequest', name, [approved(undefined), version]);
      expect(await asked(misplaced('alice'))).toEqual(['approval-hints.mutate']);
      expect(await asked(misplaced('hubAgent'))).toEqual([]);
    });

    test('a grant is asked about in both phases', async () => {
      const name = await stored('ApprovalRequest', scope);
      expect(await asked(status('alice', name, approved(undefined)))).toEqual([
        'approval-grants.mutate',
        'approval-grants.validate',
      ]);
      // Unchanged, yet without its stamp: stamped, and not a new grant.
      expect(await asked(status('alice', name, approved(undefined)))).toEqual([
        'approval-changes.validate',
        'approval-grants.mutate',
      ]);
      expect(await asked(status('alice', name, approved(1)))).toEqual([
        'approval-grants.mutate',
        'approval-grants.validate',
      ]);
    });

    test('the acceptance by the hub agent is never held up, under whatever name it writes', async () => {
      const name = await stored('ApprovalRequest', scope);
      await asked(status('alice', name, approved(1)));
      const accepted = approved(1, condition('ApprovalAccepted', { observedGeneration: 1 }));
      expect(await asked(status('admin', name, accepted))).toEqual(['approval-changes.validate']);
      await asked(status('admin', name, approved(1)));
      expect(await asked(status('hubAgent', name, accepted))).toEqual([]);
    });

    test.each([
      ['nothing is stored', undefined],
      ['the stored answer is no', denied],
      ['the stored approval is for another generation', approved(7)],
      ['the stored approval is for no generation', approved(undefined)],
    ])('an acceptance where %s is no writing of the hub agent', async (_where, before) => {
      const name = await stored('ApprovalRequest', scope);
      if (before !== undefined) await asked(status('alice', name, before));
      const { conditions } = (before?.['status'] ?? { conditions: [] }) as { conditions: object[] };
      const forged = {
        status: { conditions: [...conditions, condition('ApprovalAccepted', { observedGeneration: 1 })] },
      };
      const validated = async (user: User, body: unknown): Promise<readonly string[]> =>
        (await asked(status(user, name, body))).filter((it) => it.endsWith('.validate'));
      expect(await validated('admin', forged)).toEqual(['approval-grants.validate']);
      // To leave it and to take it away again opens nothing.
      expect(await validated('admin', forged)).toEqual(['approval-changes.validate']);
      expect(await validated('admin', { status: { conditions } })).toEqual(['approval-changes.validate']);
      expect(await validated('hubAgent', forged)).toEqual([]);
    });

    test.each([
      'x',
      5,
      [],
      { conditions: ['x'] },
      { conditions: [null] },
      { conditions: [['x']] },
      { conditions: { a: 1 } },
      { conditions: 'x' },
      { conditions: [{}] },
      { conditions: [{ type: 5 }] },
      { conditions: [{ type: 'Other', status: 5 }] },
      { conditions: [{ type: 'ApprovalAccepted' }] },
      { conditions: [condition('ApprovalAccepted', { observedGeneration: 'x' })] },
      { conditions: [condition('ApprovalAccepted', { status: {} }), 5] },
    ])('the status %j is refused by its schema alone, in its own words', async (junk) => {
      const name = await stored('ApprovalRequest', scope);
      expect(await asked(status('alice', name, { status: junk }), 422)).toEqual([]);
      // And beside an approval that is stored already.
      await asked(status('alice', name, approved(1)));
      const names = await asked(status('alice', name, { status: junk }), 422);
      expect(names.filter((it) => it !== 'approval-grants.mutate')).toEqual([]);
    });

    test.each([null, {}, { conditions: null }, { conditions: [] }])('the status %j is let through', async (empty) => {
      const name = await stored('ApprovalRequest', scope);
      expect(await asked(status('alice', name, { status: empty }))).toEqual(['approval-changes.validate']);
    });

    test.each([approved('abc'), approved({}), { status: { conditions: [{ type: 'Approved', status: 5 }] } }])(
      '%j is asked about before its schema refuses it',
      async (junk) => {
        const name = await stored('ApprovalRequest', scope);
        expect(await asked(status('alice', name, junk), 422)).toEqual(['approval-grants.mutate']);
      },
    );

    test('a status that goes to the object itself is asked about, whatever it is', async () => {
      const name = await stored('ApprovalRequest', scope);
      const main = (body: unknown): Promise<Answer> => patch('alice', 'ApprovalRequest', name, [body, version]);
      expect(await asked(main(approved(1)))).toEqual(['approval-hints.mutate']);
      expect(await asked(main(label))).toEqual([]);
      expect(await asked(main({ status: 'x' }))).toEqual(['approval-hints.mutate']);
    });
  });

  test.each(['v1', 'v1beta1'])('placements through %s: spec, owners and deletion are asked about', async (version) => {
    const name = await stored('Placement', scope);
    const path = pathOf('Placement', scope, name, version);
    expect(await asked(as('alice').patch(path, 'merge', label))).toEqual([]);
    const external = { spec: { strategy: { type: 'External' } } };
    expect(await asked(as('alice').patch(path, 'merge', external))).toEqual(['placements.validate']);
    const held = { metadata: { finalizers: ['example.com/hold'], annotations: { a: 'b' } } };
    expect(await asked(as('alice').patch(path, 'merge', held))).toEqual([]);
    expect(await asked(as('admin').patch(`${path}/status`, 'merge', { status: { conditions: [] } }))).toEqual([]);
    const owner = { apiVersion: 'v1', kind: 'Namespace', name: 'team', uid: 'u' };
    for (const ownerReferences of [[owner], [{ ...owner, uid: 'v' }], [{ ...owner, blockOwnerDeletion: true }], null]) {
      const names = await asked(as('alice').patch(path, 'merge', { metadata: { ownerReferences } }));
      expect(names).toEqual(['placements.validate']);
    }
    const limit = { spec: { revisionHistoryLimit: 5 } };
    expect(await asked(as('hubAgent').patch(path, 'merge', limit))).toEqual([]);
    expect(await asked(as('hubAgent').patch(`${path}/status`, 'merge', { status: {} }))).toEqual([]);
    expect(await asked(as('alice').delete(path))).toEqual(['deletions.validate']);
    // What goes away already is nobody's to change: its finalizers go, and with them whatever else is written.
    const bare = { metadata: { finalizers: null }, spec: { revisionHistoryLimit: 7 } };
    expect(await asked(as('alice').patch(path, 'merge', bare))).toEqual([]);
  });

  test('what garbage collection deletes is not asked about', async () => {
    const name = await stored('UpdateRun', scope);
    expect(await asked(as('controllers').delete(pathOf('UpdateRun', scope, name)))).toEqual([]);
  });
});

test.each(['v1', 'v1beta1'])(
  'member clusters through %s: labels, taints and leaving are asked about',
  async (version) => {
    const object = objectOf('MemberCluster', undefined, `member-${version}`, version);
    const path = pathOf('MemberCluster', undefined, '', version);
    const one = `${path}/member-${version}`;
    const change = (user: User, body: unknown): Promise<Answer> => as(user).patch(one, 'merge', body);
    expect(await asked(as('admin').create(path, object), 201)).toEqual(['member-clusters.validate']);
    expect(await asked(change('admin', { metadata: { annotations: { a: 'b' } } }))).toEqual([]);
    expect(await asked(change('admin', { spec: { heartbeatPeriodSeconds: 30 } }))).toEqual([]);
    expect(await asked(change('admin', { metadata: { finalizers: ['a.io/c'] } }))).toEqual([]);
    // Heartbeats, whoever brings them.
    const heartbeat = {
      status: { agentStatus: [{ type: 'MemberAgent', lastReceivedHeartbeat: '2026-01-02T03:04:05Z' }] },
    };
    expect(await asked(as('admin').patch(`${one}/status`, 'merge', heartbeat))).toEqual([]);
    expect(await asked(change('admin', label))).toEqual(['member-clusters.validate']);
    expect(await asked(change('admin', label))).toEqual([]);
    const taints = [{ key: 'a', effect: 'NoSchedule' }];
    expect(await asked(change('admin', { spec: { taints } }))).toEqual(['member-clusters.validate']);
    expect(await asked(change('hubAgent', { metadata: { labels: null, finalizers: ['a.io/b'] } }))).toEqual([]);
    expect(await asked(as('hubAgent').patch(`${one}/status`, 'merge', { status: {} }))).toEqual([]);
    expect(await asked(as('admin').delete(one))).toEqual(['member-clusters.validate']);
    expect(await asked(change('admin', { metadata: { finalizers: null } }))).toEqual([]);
  },
);

test.each(kindIn('Eviction', undefined).versions)(
  'evictions through %s: creation is asked about, and nothing else',
  async (version) => {
    const path = pathOf('Eviction', undefined, '', version);
    const object = objectOf('Eviction', undefined, `eviction-${version}`, version);
    expect(await asked(as('admin').create(path, object), 201)).toEqual(['evictions.validate']);
    const one = `${path}/eviction-${version}`;
    const executed = { status: { conditions: [condition('Executed')] } };
    expect(await asked(as('admin').patch(`${one}/status`, 'merge', executed))).toEqual([]);
    expect(await asked(as('admin').patch(one, 'merge', label))).toEqual([]);
    expect(await asked(as('admin').delete(one))).toEqual([]);
  },
);

test('no expression has failed in all of this', async () => {
  const { body } = await as('admin').get('/metrics');
  const metrics = String(body['text']);
  expect(metrics).toContain('apiserver_admission_webhook_request_total');
  const failed = /^apiserver_admission_match_condition_evaluation_errors_total.* [1-9]/gm;
  expect(metrics.match(failed)).toBeNull();
});
