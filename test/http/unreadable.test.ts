import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Change } from '../../src/engine/change.js';
import { defaultPolicy, type Policy } from '../../src/engine/policy.js';
import type { ReviewResponse } from '../../src/http/admission-review.js';
import { defaultLimits, type BodyLimits } from '../../src/http/review-load.js';
import { version } from '../../src/version.js';
import { nothingFound, startGuard, type TestGuard } from '../support/guard.js';

let guard: TestGuard;
let policy: Policy = defaultPolicy;
const judged: Change[] = [];
const small: BodyLimits = { bodyBytes: 65_536, inFlight: 10, inFlightBytes: 1_000_000 };
let limits = defaultLimits;

beforeAll(async () => {
  guard = await startGuard({
    policy: () => policy,
    limits: () => limits,
    judge: (change) => {
      judged.push(change);
      return nothingFound;
    },
  });
});
afterAll(() => guard.stop());
beforeEach(() => {
  policy = defaultPolicy;
  limits = defaultLimits;
  judged.length = 0;
});

type Json = Readonly<Record<string, unknown>>;

interface Asked {
  readonly resource?: string;
  readonly operation?: string;
  readonly subResource?: string;
  readonly user?: string;
  readonly object?: unknown;
  readonly oldObject?: unknown;
}

const uid = '705ab4f5-6393-11e8-b7cc-42010a800002';
const group = 'placement.kubernetes-fleet.io';

/** A review with its fields in the order of the API server. */
function review({ resource = 'clusterapprovalrequests', operation = 'UPDATE', ...more }: Asked): Json {
  return {
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: {
      uid,
      resource: { group, version: 'v1beta1', resource },
      ...(more.subResource !== undefined && { subResource: more.subResource }),
      name: 'release-after-canary',
      operation,
      userInfo: { username: more.user ?? 'alice' },
      object: more.object ?? { metadata: { name: 'release-after-canary' } },
      oldObject: more.oldObject ?? { metadata: { name: 'release-after-canary' } },
      dryRun: false,
      options: { kind: 'UpdateOptions' },
    },
  };
}

const nested = (levels: number): unknown => JSON.parse('{"f:a":'.repeat(levels) + '1' + '}'.repeat(levels)) as unknown;
const many = (count: number): readonly number[] => Array.from({ length: count }, () => 1);

interface Answer {
  readonly status: number;
  readonly body: { readonly error?: string; readonly response?: ReviewResponse };
}

async function ask(path: string, sent: unknown): Promise<Answer> {
  const body = typeof sent === 'string' ? sent : JSON.stringify(sent);
  const request = guard.agent.post(path).type('application/json');
  return await request.serialize((text: unknown) => text as string).send(body);
}

/** Ways to keep a review from being read; `spec` is that of the new object. */
const ways: Readonly<Record<string, { why: string; status: number; of: (asked: Asked, spec?: Json) => Json }>> = {
  'too deep': {
    why: 'the JSON is nested deeper than 128 levels',
    status: 400,
    of: (asked, spec) => review({ ...asked, object: { metadata: {}, spec, extra: nested(150) } }),
  },
  'too many values': {
    why: 'it holds more than 220000 values and field names',
    status: 400,
    of: (asked, spec) => review({ ...asked, object: { metadata: {}, spec, extra: many(250_000) } }),
  },
  'too full of names': {
    why: 'it holds more than 10000 different field names',
    status: 400,
    of: (asked, spec) => {
      const extra = Object.fromEntries(many(11_000).map((one, index) => [`key-${String(index)}`, one]));
      return review({ ...asked, object: { metadata: {}, spec, extra } });
    },
  },
  'too full of texts': {
    why: 'it holds more than 100000 texts',
    status: 400,
    of: (asked, spec) => {
      const extra = many(101_000).map((one, index) => `v${String(one + index)}`);
      return review({ ...asked, object: { metadata: {}, spec, extra } });
    },
  },
  'too large': {
    why: 'the body is larger than 7340032 bytes',
    status: 413,
    of: (asked, spec) => review({ ...asked, object: { metadata: {}, spec, extra: 'x'.repeat(8 * 1024 * 1024) } }),
  },
  'of a wrong shape': {
    why: 'request.oldObject is missing or not an object',
    status: 400,
    of: (asked, spec) => review({ ...asked, object: { metadata: {}, spec }, oldObject: 'x' }),
  },
};
const unconfirmed: Policy = { ...defaultPolicy, hubAgent: { ...defaultPolicy.hubAgent, confirmed: false } };
const agent = defaultPolicy.hubAgent.users[0] ?? '';

describe.each(Object.entries(ways))('a review that is %s', (way, { of, why, status }) => {
  const canTell = way === 'too deep' || way === 'of a wrong shape';

  test.each<[string, string, Asked]>([
    ['the status of an approval', '/validate', { subResource: 'status' }],
    ['the stamp of an approval', '/mutate', { subResource: 'status' }],
    ['the status of a run', '/validate', { resource: 'clusterstagedupdateruns', subResource: 'status' }],
    ['a strategy', '/validate', { resource: 'clusterstagedupdatestrategies' }],
    ['a placement', '/validate', { resource: 'clusterresourceplacements' }],
  ])('is no free pass: %s at %s', async (_, path, asked) => {
    const answer = await ask(path, of(asked));
    expect([answer.status, answer.body.response?.uid, answer.body.response?.allowed]).toEqual([200, uid, false]);
    expect(answer.body.response?.status).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(answer.body.response?.status?.['message']).toContain(why);
    expect(guard.log.lines.at(-1)?.fields).toMatchObject({ uid, decision: 'refuse', user: 'alice' });
  });

  test.each<[string, Asked]>([
    ['a deletion', { operation: 'DELETE', resource: 'clusterstagedupdateruns' }],
    ['what the hub agent writes beside its own', { resource: 'clusterresourceplacements', user: agent }],
  ])('is left to failurePolicy where it is %s', async (_, asked) => {
    // A deletion has no object: what cannot be read is the stored one.
    const { request, ...rest } = of(asked) as { request: Json };
    const sent =
      asked.operation === 'DELETE' && way !== 'of a wrong shape'
        ? { ...rest, request: { ...request, object: null, oldObject: request['object'] } }
        : of(asked);
    const answer = await ask('/validate', sent);
    expect([answer.status, answer.body]).toEqual([status, { error: why }]);
  });

  test.each(['/validate', '/mutate'])('keeps the hub agent from nothing that is its own, at %s', async (path) => {
    const answer = await ask(path, of({ subResource: 'status', user: agent }));
    expect([answer.status, answer.body.response]).toEqual([200, { uid, allowed: true, auditAnnotations: { version } }]);
  });

  test('keeps nobody from what may be the hub agent by another name', async () => {
    policy = unconfirmed;
    expect((await ask('/validate', of({ subResource: 'status', user: 'its-other-name' }))).status).toBe(status);
    const strategy = await ask('/validate', of({ resource: 'clusterstagedupdatestrategies' }));
    expect(strategy.body.response?.allowed).toBe(false);
  });

  test('never stands in the way of a stop', async () => {
    const run = { resource: 'clusterstagedupdateruns' };
    expect((await ask('/validate', of(run, { state: 'Stop' }))).status).toBe(status);
    const started = await ask('/validate', of(run, { state: 'Run' }));
    expect(started.body.response?.allowed ?? started.status).toBe(canTell ? false : status);
    const created = await ask('/validate', of({ ...run, operation: 'CREATE' }, { state: 'Stop' }));
    // A creation has no oldObject to be of a wrong shape.
    expect(created.body.response?.allowed).toBe(way === 'of a wrong shape');
  });

  test.each<[string, string, Asked]>([
    ['a kind that no rule knows', '/validate', { resource: 'pods' }],
    ['a subresource that no rule knows', '/validate', { subResource: 'scale' }],
    ['what gets a hint at most', '/mutate', {}],
    ['what nobody changes', '/mutate', { resource: 'clusterstagedupdateruns' }],
  ])('is admitted where it is %s', async (_, path, asked) => {
    const answer = await ask(path, of(asked));
    expect([answer.status, answer.body.response?.uid, answer.body.response?.allowed]).toEqual([200, uid, true]);
  });
});

describe('the deletion of a placement that cannot be read', () => {
  const deletion = (of: (typeof ways)[string]['of']): Json => {
    const { request, ...rest } = of({ operation: 'DELETE', resource: 'clusterresourceplacements' }) as {
      request: Json;
    };
    return { ...rest, request: { ...request, object: null, oldObject: request['object'] } };
  };

  test.each(['too many values', 'too full of names', 'too full of texts', 'too large'])(
    'because it is %s is judged by its name',
    async (way) => {
      const { of } = ways[way] ?? {};
      if (of === undefined) throw new Error('no such way');
      const answer = await ask('/validate', deletion(of));
      expect([answer.status, answer.body.response?.allowed]).toEqual([200, true]);
      expect(judged).toMatchObject([
        { operation: 'DELETE', oldObject: { metadata: { name: 'release-after-canary' } } },
      ]);
    },
  );
});

describe('what is more than anybody needs is left out', () => {
  const texts = many(11_000).map((_, index) => `key-${String(index)}`);
  const dictionary = Object.fromEntries(texts.map((text) => [text, '']));
  const finalizers = Array.from({ length: 110_001 }, () => 'a/b');

  test.each<[string, Json]>([
    ['labels', { labels: dictionary }],
    ['annotations', { annotations: dictionary }],
    ['finalizers', { finalizers }],
  ])('of a placement: %s', async (_, more) => {
    const metadata = { name: 'release', generation: 2, ...more };
    const spec = { resourceSelectors: [] };
    const asked = { resource: 'clusterresourceplacements', object: { metadata, spec }, oldObject: { metadata, spec } };
    expect((await ask('/validate', review(asked))).body.response?.allowed).toBe(true);
    expect(judged).toMatchObject([{ object: { metadata: { generation: 2 } } }]);
  });

  test('but the labels of a member cluster, which rules read: it is refused', async () => {
    const metadata = { name: 'eu-1', labels: dictionary };
    const asked = { resource: 'memberclusters', object: { metadata }, oldObject: { metadata: {} } };
    const sent = JSON.stringify(review(asked)).replace(group, 'cluster.kubernetes-fleet.io');
    const { response } = (await ask('/validate', sent)).body;
    expect(response?.allowed).toBe(false);
    expect(response?.status?.['message']).toContain('it holds more than 10000 different field names');
    expect(judged).toEqual([]);
  });

  test('and where they are few, they are all there', async () => {
    const labels = { ring: 'a' };
    const metadata = { name: 'release', labels, annotations: { note: 'x' }, finalizers: ['a/b'] };
    await ask(
      '/validate',
      review({ resource: 'clusterresourceplacements', object: { metadata }, oldObject: { metadata } }),
    );
    expect(judged).toMatchObject([{ object: { metadata } }]);
  });
});

describe('what nobody reads never decides', () => {
  const managedFields = [{ manager: 'mallory', fieldsV1: nested(1_000), more: many(300_000) }];
  const metadata = { name: 'release-after-canary', generation: 2, managedFields };
  const status = { conditions: [{ type: 'Approved', status: 'True' }] };

  test('a deep and wide managedFields is not there for whoever judges', async () => {
    const asked = { subResource: 'status', object: { metadata, status }, oldObject: { metadata } };
    expect((await ask('/validate', review(asked))).body.response?.allowed).toBe(true);
    expect(judged).toMatchObject([{ object: { metadata: { generation: 2 }, status } }]);
  });

  test('and the stamp is as right as without it', async () => {
    const asked = (meta: Json): Asked => ({
      subResource: 'status',
      object: { metadata: meta, status },
      oldObject: { metadata: meta },
    });
    const plain = await ask('/mutate', review(asked({ name: metadata.name, generation: 2 })));
    const fat = await ask('/mutate', review(asked(metadata)));
    expect(plain.body.response?.patch).toBeDefined();
    expect(fat.body).toEqual(plain.body);
  });
});

describe('the uid of a review that is not parsed', () => {
  const forged = '"request":{"uid":"forged"},"uid":"forged","object":{';
  const hostile = { metadata: { name: forged, annotations: { [forged]: forged } }, uid: 'forged', spec: many(250_000) };

  test.each(['resource', 'user', 'object'] as const)('is that of the API server whatever is in %s', async (where) => {
    const asked = where === 'user' ? { user: forged } : {};
    const sent = review({ subResource: 'status', ...asked, object: hostile });
    expect((await ask('/validate', sent)).body.response).toMatchObject({ uid, allowed: false });
  });

  test('is not guessed: where it does not stand before the objects, nobody is answered for it', async () => {
    const { request, ...rest } = review({ object: hostile }) as { request: Json };
    const { uid: last, ...others } = request;
    expect((await ask('/validate', { ...rest, request: { ...others, uid: last } })).status).toBe(400);
    expect((await ask('/validate', { request, ...rest })).status).toBe(400);
    expect((await ask('/validate', many(250_000))).status).toBe(400);
  });
});

test('a body over the limit is answered, not reset', async () => {
  limits = small;
  const sent = JSON.stringify(review({ subResource: 'status', object: { spec: 'x'.repeat(40 * 1024 * 1024) } }));
  expect((await ask('/validate', sent)).body.response).toMatchObject({ uid, allowed: false });
});

test.each([
  ['can be read', undefined],
  ['cannot be read', nested(150)],
])('of the names of a megabyte in a review that %s, the log keeps the beginning', async (_, extra) => {
  const long = 'n'.repeat(1_000_000);
  const sent = review({ subResource: 'status', user: long, object: { metadata: {}, extra } });
  const request = { ...(sent['request'] as Json), uid: long, name: long, namespace: long };
  const { body } = await ask('/validate', { ...sent, request });
  expect(body.response?.uid).toBe(long);
  const [line] = guard.log.lines.slice(-1);
  expect(line?.fields).toMatchObject({ kind: 'ClusterApprovalRequest' });
  expect(JSON.stringify(line?.fields).length).toBeLessThan(5_000);
});
