import { setTimeout as wait } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import { applyPatch, type Operation } from 'rfc6902';
import { defaultPolicy } from '../../src/engine/policy.js';
import type { Finding, Verdict } from '../../src/engine/verdict.js';
import type { ReviewResponse } from '../../src/http/admission-review.js';
import type { AppDeps } from '../../src/http/app.js';
import { hintRule } from '../../src/mutations/approval-hint.js';
import { catalogue } from '../../src/rules/index.js';
import { version } from '../../src/version.js';
import { approvalReview, nothingFound, reviewOf, runReview, startGuard, type TestGuard } from '../support/guard.js';
import { testNow } from '../support/rule-tester.js';

let guard: TestGuard | undefined;
const start = async (deps: Partial<AppDeps> = {}): Promise<TestGuard> => (guard = await startGuard(deps));
afterEach(async () => {
  await guard?.stop();
  guard = undefined;
});

const uid = '705ab4f5-6393-11e8-b7cc-42010a800002';
const admitted = {
  apiVersion: 'admission.k8s.io/v1',
  kind: 'AdmissionReview',
  response: { uid, allowed: true, auditAnnotations: { version } },
};
const hubAgent = defaultPolicy.hubAgent.users[0];

const finding: Finding = {
  rule: 'run-snapshot-exists',
  severity: 'deny',
  outcome: 'violated',
  path: ['spec', 'resourceSnapshotIndex'],
  message: 'no snapshot "7"',
  fix: 'Name one that exists.\nkubectl get clusterresourcesnapshots',
  retry: false,
};
const found = (...findings: Partial<Finding>[]): Verdict => ({
  ...nothingFound,
  findings: findings.map((more) => ({ ...finding, ...more })),
});

describe('/validate', () => {
  test('admits with the uid echoed and the version noted', async () => {
    const { agent } = await start();
    const { body, status, headers } = await send(agent, '/validate?timeout=10s', runReview());
    expect(status).toBe(200);
    expect(body).toEqual(admitted);
    expect(headers['x-powered-by']).toBeUndefined();
    expect(headers['etag']).toBeUndefined();
  });

  test('refuses with 403, the whole text and the causes', async () => {
    const { agent } = await start({ judge: () => found({}, { rule: 'run-latest-snapshot', severity: 'warn' }) });
    const { body } = await send(agent, '/validate', runReview());
    expect(body.response).toEqual({
      uid,
      allowed: false,
      status: {
        status: 'Failure',
        code: 403,
        reason: 'Forbidden',
        message: [
          'refused by 1 rule: ClusterStagedUpdateRun release',
          '[run-snapshot-exists] spec.resourceSnapshotIndex: no snapshot "7"',
          '  Fix: Name one that exists.',
          '    kubectl get clusterresourcesnapshots',
        ].join('\n'),
        details: {
          name: 'release',
          group: 'placement.kubernetes-fleet.io',
          kind: 'ClusterStagedUpdateRun',
          causes: [{ reason: 'run-snapshot-exists', field: 'spec.resourceSnapshotIndex', message: 'no snapshot "7"' }],
        },
      },
      warnings: ['[run-latest-snapshot] no snapshot "7"'],
      auditAnnotations: {
        rules: 'run-snapshot-exists,run-latest-snapshot',
        modes: 'run-snapshot-exists=deny,run-latest-snapshot=warn',
        version,
      },
    });
  });

  test('says nothing of what is only audited, but logs, counts and annotates it', async () => {
    const { agent, log, metrics } = await start({ judge: () => found({ severity: 'audit' }) });
    const { body } = await send(agent, '/validate', runReview());
    expect(body.response).toEqual({
      uid,
      allowed: true,
      auditAnnotations: { rules: 'run-snapshot-exists', modes: 'run-snapshot-exists=audit', version },
    });
    expect(log.lines.at(-1)?.fields).toMatchObject({ decision: 'admit', rules: ['run-snapshot-exists'] });
    expect(await metrics.registry.metrics()).toContain(
      'stageguard_findings_total{rule="run-snapshot-exists",severity="audit",outcome="violated"} 1',
    );
  });

  test('refuses for now with 429 and the seconds to wait', async () => {
    const { agent } = await start({ judge: () => found({ retry: true }) });
    const { body } = await send(agent, '/validate', runReview());
    expect(body.response.allowed).toBe(false);
    expect(body.response.status).toMatchObject({
      code: 429,
      reason: 'TooManyRequests',
      details: { retryAfterSeconds: 3 },
    });
  });

  test('refuses for good when only some of it may heal', async () => {
    const { agent } = await start({ judge: () => found({ retry: true }, {}) });
    const { body } = await send(agent, '/validate', runReview());
    expect(body.response.status.code).toBe(403);
  });

  const unknown: Partial<Finding> = { outcome: 'undetermined', retry: true };
  const stop = runReview({
    operation: 'UPDATE',
    object: { metadata: { name: 'release' }, spec: { state: 'Stop' } },
    oldObject: { metadata: { name: 'release' }, spec: { state: 'Run' } },
  });

  test('asks to send again when it cannot tell about a start, whose hook fails closed', async () => {
    const { agent } = await start({ judge: () => found(unknown) });
    const { body, status } = await send(agent, '/validate', runReview());
    expect(status).toBe(200);
    expect(body.response.status.code).toBe(429);
  });

  test('leaves a Stop to failurePolicy when it cannot tell', async () => {
    const { agent, log } = await start({ judge: () => found(unknown) });
    const { body, status } = await send(agent, '/validate', stop);
    expect(status).toBe(503);
    expect(body).toEqual({ error: 'cannot tell now: [run-snapshot-exists] no snapshot "7"' });
    expect(log.lines.map(({ fields }) => fields['decision'])).toContain('unavailable');
  });

  test('refuses a Stop where something is known to be wrong, whatever else is not known', async () => {
    const { agent } = await start({ judge: () => found(unknown, { rule: 'other' }) });
    const { body } = await send(agent, '/validate', stop);
    expect(body.response.status.code).toBe(403);
  });

  test('leaves it to failurePolicy when the verdict does not come in time', async () => {
    const { agent } = await start({ judge: () => new Promise<Verdict>(() => undefined) });
    const { body, status } = await send(agent, '/validate?timeout=20ms', runReview());
    expect(status).toBe(503);
    expect(body).toEqual({ error: 'ran out of time before a verdict was reached' });
  });

  test('hands the deadline of the caller to whoever judges', async () => {
    const seen: number[] = [];
    const { agent } = await start({
      elapsed: () => 1_000_000,
      judge: (_, { deadline }) => {
        seen.push(deadline);
        return nothingFound;
      },
    });
    await send(agent, '/validate?timeout=3s', runReview());
    expect(seen).toEqual([1_002_700]);
  });

  test('a step of the clock takes no time from a review under way', async () => {
    let now = testNow;
    const { agent } = await start({
      now: () => now,
      judge: async () => {
        now += 3_600_000;
        await wait(20);
        return nothingFound;
      },
    });
    expect((await send(agent, '/validate?timeout=10s', runReview())).status).toBe(200);
  });

  test('answers 500 without a stack when judging itself fails, and logs it', async () => {
    const { agent, log } = await start({
      judge: () => {
        throw new Error('secret of the house');
      },
    });
    const { body, status } = await send(agent, '/validate', runReview());
    expect(status).toBe(500);
    expect(body).toEqual({ error: 'internal error' });
    expect(log.lines).toMatchObject([{ level: 'error', fields: { error: 'secret of the house' } }]);
  });

  test('logs and counts a rule that threw, and goes on', async () => {
    const failures = [{ rule: 'run-x', error: new Error('boom') }];
    const { agent, log, metrics } = await start({ judge: () => ({ ...nothingFound, failures }) });
    const { body } = await send(agent, '/validate', runReview());
    expect(body.response.allowed).toBe(true);
    expect(log.lines[0]).toMatchObject({ level: 'error', fields: { rule: 'run-x', error: 'boom' } });
    expect(await metrics.registry.metrics()).toContain('stageguard_rule_failures_total{rule="run-x"} 1');
  });

  test('admits kinds, operations and subresources it does not know', async () => {
    const judge = (): Verdict => found({});
    const { agent } = await start({ judge });
    for (const review of [
      reviewOf('pods', 'Pod', { operation: 'CREATE' }),
      runReview({ operation: 'CONNECT' }),
      runReview({ subResource: 'scale' }),
    ]) {
      expect((await send(agent, '/validate', review)).body).toEqual(admitted);
    }
  });

  test.each([
    ['approvals', approvalReview({ userInfo: { username: hubAgent } })],
    [
      'approvals it creates',
      approvalReview({ userInfo: { username: hubAgent }, operation: 'CREATE', subResource: '' }),
    ],
    [
      'the status of runs',
      runReview({ userInfo: { username: hubAgent }, operation: 'UPDATE', subResource: 'status', oldObject: {} }),
    ],
  ])('never gets in the way of the hub agent writing %s', async (_, review) => {
    const { agent } = await start({ judge: () => found({}) });
    expect((await send(agent, '/validate', review)).body).toEqual(admitted);
    expect((await send(agent, '/mutate', review)).body).toEqual(admitted);
  });
});

describe('the preview of a plan', () => {
  test('is the first warning of an admitted run, on one line', async () => {
    const { agent } = await start({
      judge: () => ({ ...found({ severity: 'warn' }), preview: 'canary: 1 cluster,\nprod: 3 clusters' }),
    });
    const { body } = await send(agent, '/validate', runReview());
    expect(body.response.warnings).toEqual([
      'canary: 1 cluster, prod: 3 clusters',
      '[run-snapshot-exists] no snapshot "7"',
    ]);
  });
  test('has the diagnosis of the run behind it, on one line that is not too long and has nothing hidden in it', async () => {
    const diagnosis = `run "x" is in trouble: \u001b[8m\n${'stuck '.repeat(100)}`;
    const { agent } = await start({
      judge: () => ({ ...found({ severity: 'warn' }), preview: 'the plan', diagnosis }),
    });
    const { body } = await send(agent, '/validate', runReview());
    const [plan, line, ...rest] = body.response.warnings as string[];
    expect(plan).toBe('the plan');
    expect(line).toMatch(/^run "x" is in trouble: \\u001b\[8m stuck .*…$/);
    expect(line).toHaveLength(256);
    expect(rest).toHaveLength(1);
  });
});

describe('/mutate', () => {
  test('stamps nothing where that is switched off', async () => {
    const { agent } = await start({ policy: () => ({ ...defaultPolicy, rules: { 'stamp-approval': 'off' } }) });
    const { body } = await send(agent, '/mutate', approvalReview());
    expect((body as { response: object }).response).not.toHaveProperty('patch');
  });

  test.each([
    ['stamp-approval', 'status'],
    [hintRule.id, ''],
  ])('leaves the write alone where %s is only audited, and notes it', async (rule, subResource) => {
    const { agent, log, metrics } = await start({ policy: () => ({ ...defaultPolicy, rules: { [rule]: 'audit' } }) });
    const { body } = await send(agent, '/mutate', approvalReview({ subResource }));
    expect(body.response).toEqual({
      uid,
      allowed: true,
      auditAnnotations: { rules: rule, modes: `${rule}=audit`, version },
    });
    expect(log.lines.at(-1)?.fields).toMatchObject({ decision: 'admit', rules: [rule] });
    expect(await metrics.registry.metrics()).toContain(
      `stageguard_findings_total{rule="${rule}",severity="audit",outcome="violated"} 1`,
    );
  });

  test('stamps an approval', async () => {
    const { agent } = await start();
    const review = approvalReview();
    const { body } = await send(agent, '/mutate?timeout=5s', review);
    expect(body.response).toMatchObject({ uid, allowed: true, patchType: 'JSONPatch' });
    const object = structuredClone((review['request'] as { object: unknown }).object);
    const patch = JSON.parse(Buffer.from(body.response.patch ?? '', 'base64').toString()) as Operation[];
    expect(applyPatch(object, patch).every((error) => error === null)).toBe(true);
    expect(object).toMatchObject({ status: { conditions: [{ observedGeneration: 2, reason: 'Approved' }] } });
    expect(body.response.warnings).toHaveLength(1);
  });

  test('says what works where a status is sent to the main resource, and changes nothing', async () => {
    const { agent } = await start();
    const { body } = await send(agent, '/mutate', approvalReview({ subResource: '' }));
    expect(body.response.patch).toBeUndefined();
    expect(body.response.warnings?.[1]).toContain('kubectl patch clusterapprovalrequests release-after-canary');
  });

  test('says nothing of it where the rule that it speaks for is off', async () => {
    const misplaced = approvalReview({ subResource: '' });
    const rulesOf = ({ log }: TestGuard) => log.lines.filter(({ message }) => message === 'decided').at(-1)?.fields;
    const open = await start();
    await send(open.agent, '/mutate', misplaced);
    expect(rulesOf(open)).toMatchObject({ rules: [hintRule.id] });
    await open.stop();
    const closed = await start({ policy: () => ({ ...defaultPolicy, rules: { [hintRule.id]: 'off' } }) });
    expect((await send(closed.agent, '/mutate', misplaced)).body).toEqual(admitted);
    expect(rulesOf(closed)).toMatchObject({ rules: [] });
    expect(catalogue.find(({ id }) => id === hintRule.id)?.severity).toBe(hintRule.severity);
  });

  test('leaves everything else alone', async () => {
    const { agent } = await start();
    expect((await send(agent, '/mutate', runReview())).body).toEqual(admitted);
  });
});

describe.each(['/validate', '/mutate'])('%s answers bad input', (path) => {
  const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  test.each<[string, string | Buffer, number, string]>([
    ['that is empty', '', 400, 'the body is empty'],
    ['that is not JSON', '{', 400, 'the body is not JSON'],
    ['that is not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 400, 'the body is not UTF-8'],
    ['of 8 MiB', `"${'x'.repeat(8 * 1024 * 1024)}"`, 413, 'the body is larger than 7340032 bytes'],
    ['nested 100,000 deep', deep, 400, 'expected an AdmissionReview'],
    ['that is a list', '[]', 400, 'expected an AdmissionReview of admission.k8s.io/v1, got nothing of nothing'],
    ['that is null', 'null', 400, 'expected an AdmissionReview'],
    ['of another version', JSON.stringify({ ...runReview(), apiVersion: 'admission.k8s.io/v1beta1' }), 400, 'v1beta1'],
    ['of another kind', JSON.stringify({ ...runReview(), kind: 'Pod' }), 400, 'got "Pod"'],
    ['without a request', JSON.stringify({ ...runReview(), request: undefined }), 400, 'has no request'],
    ['without a uid', JSON.stringify(runReview({ uid: undefined })), 400, 'request.uid is missing'],
    ['without a resource', JSON.stringify(runReview({ resource: 5 })), 400, 'request.resource is missing'],
    ['without an operation', JSON.stringify(runReview({ operation: null })), 400, 'request.operation is missing'],
  ])('%s', async (_, body, status, reason) => {
    const { agent } = await start();
    const answer = await agent.post(path).type('application/json').serialize(asItIs).send(body);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error: expect.stringContaining(reason) });
  });

  test.each<[string, Record<string, string>, string | Buffer]>([
    ['as gzip', { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }, gzipSync('{}')],
    ['as text', { 'Content-Type': 'text/plain' }, '{}'],
    ['as a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 'a=b'],
  ])('%s with 415', async (_, headers, body) => {
    const { agent } = await start();
    const answer = await agent.post(path).set(headers).serialize(asItIs).send(body);
    expect(answer.status).toBe(415);
    expect(answer.body).toEqual({ error: expect.stringContaining('content') });
  });

  test('with 405 when it is not sent by POST', async () => {
    const { agent } = await start();
    const answer = await agent.get(path);
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'POST']);
  });

  test('with 503 when too much is under way, so that failurePolicy decides', async () => {
    const limits = { bodyBytes: 1000, inFlight: 10, inFlightBytes: 10 };
    const { agent } = await start({ limits: () => limits });
    expect((await send(agent, path, runReview())).status).toBe(503);
    await guard?.stop();
    const none = await start({ limits: () => ({ ...limits, inFlight: 0 }) });
    expect((await none.agent.post(path).send(runReview())).status).toBe(503);
  });
});

test('what was under way is given back, so that load does not add up', async () => {
  const size = JSON.stringify(runReview()).length;
  const { agent } = await start({ limits: () => ({ bodyBytes: 10_000, inFlight: 1, inFlightBytes: size }) });
  for (let count = 0; count < 5; count++) expect((await send(agent, '/validate', runReview())).status).toBe(200);
});

describe('odd but well-formed input gets a proper answer', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({ type: `T${index}`, status: 'True' }));
  const proto = JSON.parse('{"__proto__":{"polluted":true},"metadata":{"__proto__":{"name":"x"}}}') as unknown;

  test.each<[string, Record<string, unknown>]>([
    ['20,000 conditions', approvalReview({ object: { status: { conditions: many } } })],
    ['keys named __proto__', approvalReview({ object: proto, oldObject: proto })],
    ['conditions that are text', approvalReview({ object: { status: { conditions: ['x'] } } })],
    ['a status that is text', approvalReview({ object: { status: 'x' } })],
    ['a spec that is a number', runReview({ object: { spec: 5 } })],
    ['a deletion, with oldObject alone', runReview({ operation: 'DELETE', object: null, oldObject: {} })],
    ['a create by generateName, still without a name', runReview({ name: undefined, object: { metadata: {} } })],
  ])('%s', async (_, review) => {
    const { agent } = await start();
    for (const path of ['/validate', '/mutate']) {
      const { status, body } = await send(agent, path, review);
      expect([status, body.response.uid, body.response.allowed]).toEqual([200, uid, true]);
    }
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('probes', () => {
  test('healthz answers while the process does', async () => {
    const { agent } = await start({ readiness: () => ({ ready: false, missing: ['fleet'] }) });
    expect((await agent.get('/healthz')).status).toBe(200);
  });

  test('readyz names what is missing', async () => {
    const { agent } = await start({ readiness: () => ({ ready: false, missing: ['fleet'] }) });
    const { status, body } = await get(agent, '/readyz');
    expect([status, body]).toEqual([503, { status: 'not ready', missing: ['fleet'] }]);
  });

  test('readyz is 200 when nothing is missing', async () => {
    const { agent } = await start();
    expect((await get(agent, '/readyz')).status).toBe(200);
  });
});

test('other paths are answered with 404 as JSON, and paths that cannot be read with 4xx', async () => {
  const { agent } = await start();
  expect((await get(agent, '/elsewhere')).body).toEqual({ error: 'there is nothing at this path' });
  expect((await agent.get('/%ff')).status).toBe(404);
});

test('one line a decision is logged, without the objects', async () => {
  const { agent, log } = await start({ judge: () => found({}) });
  await send(agent, '/validate', runReview());
  expect(log.lines).toEqual([
    {
      level: 'info',
      message: 'decided',
      fields: {
        uid,
        endpoint: 'validate',
        kind: 'ClusterStagedUpdateRun',
        object: 'release',
        operation: 'CREATE',
        subresource: undefined,
        user: 'alice',
        dryRun: false,
        decision: 'refuse',
        rules: ['run-snapshot-exists'],
        modes: 'run-snapshot-exists=deny',
        version,
        ms: expect.any(Number),
      },
    },
  ]);
});

test('decisions, findings and failures are counted without names of objects', async () => {
  const { agent, metrics } = await start({ judge: () => ({ ...found({}), undetermined: ['run-y'] }) });
  await send(agent, '/validate', runReview());
  await send(agent, '/mutate', approvalReview());
  await agent.post('/validate').type('application/json').send('{');
  const text = await metrics.registry.metrics();
  for (const line of [
    'stageguard_decisions_total{endpoint="validate",family="UpdateRun",operation="CREATE",decision="refuse"} 1',
    'stageguard_decisions_total{endpoint="mutate",family="ApprovalRequest",operation="UPDATE",decision="patch"} 1',
    'stageguard_findings_total{rule="run-snapshot-exists",severity="deny",outcome="violated"} 1',
    'stageguard_undetermined_total{rule="run-y"} 1',
    'stageguard_http_errors_total{endpoint="validate",status="400"} 1',
    'stageguard_decision_seconds_count{endpoint="validate"} 1',
    `stageguard_build_info{version="${version}",node="${process.version}"} 1`,
  ]) {
    expect(text).toContain(line);
  }
  expect(text).not.toContain('release');
  expect(text).not.toContain('alice');
});

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly response: ReviewResponse & { readonly status: { readonly code: number } } };
}

async function send(agent: TestGuard['agent'], path: string, review: object): Promise<Answer> {
  const { status, headers, body } = (await agent.post(path).send(review)) as Answer;
  return { status, headers, body };
}

async function get(agent: TestGuard['agent'], path: string): Promise<Pick<Answer, 'status' | 'body'>> {
  const { status, body } = (await agent.get(path)) as Answer;
  return { status, body };
}

/** Keeps supertest from writing a body anew. */
function asItIs(body: unknown): string {
  return body as string;
}
