import { afterEach, expect, test } from '@jest/globals';
import { bypassAnnotation } from '../../src/engine/exemption.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { settingsHash } from '../../src/config/config.js';
import { defaultConfig, loadConfig } from '../../src/config/load.js';
import { createExemptingJudge } from '../../src/guard/exempting.js';
import type { AppDeps } from '../../src/http/app.js';
import type { ReviewResponse } from '../../src/http/admission-review.js';
import { catalogue } from '../../src/rules/index.js';
import { version } from '../../src/version.js';
import { run, soundFleet, stage, strategy, type Draft } from '../support/builders.js';
import { approvalReview, reviewOf, startGuard, type TestGuard } from '../support/guard.js';
import { testNow } from '../support/rule-tester.js';
import { fleetIn, jsonIn, scopes, type Scope } from '../support/scopes.js';

let guard: TestGuard | undefined;
afterEach(async () => {
  await guard?.stop();
  guard = undefined;
});

/** A guard with all rules over a sound fleet, where everybody may bypass everything, if that can be asked. */
async function start(scope: Scope, more: { may?: () => Promise<boolean>; fleet?: readonly Draft[] } = {}) {
  const { may = () => Promise.resolve(true), fleet = soundFleet } = more;
  const deps: Partial<AppDeps> = {
    judge: createExemptingJudge({
      judge: (change, { exempt }) =>
        evaluate(change, {
          rules: catalogue,
          fleet: fleetIn(scope, fleet),
          policy: defaultPolicy,
          now: testNow,
          exempt,
        }),
      may,
      gates: () => [],
      rules: catalogue,
      now: () => testNow,
      elapsed: () => performance.now(),
    }),
    settings: () => settingsHash(defaultConfig()),
  };
  return (guard = await startGuard(deps));
}

function reviewIn(scope: Scope, draft: Draft, more: object = {}): object {
  const object = jsonIn(scope, draft);
  const { name } = object['metadata'] as { name: string };
  const where = { name, object, ...(scope.namespace !== undefined && { namespace: scope.namespace }) };
  return reviewOf(scope.plural(draft.family), scope.kind(draft.family), { ...where, ...more });
}

async function answered({ agent }: TestGuard, path: string, review: object): Promise<ReviewResponse> {
  const { body } = (await agent.post(path).send(review)) as { body: { response: ReviewResponse } };
  return body.response;
}

const hash = expect.stringMatching(/^[0-9a-f]{16}$/) as unknown as string;
const asking = (text: string, ...stages: Parameters<typeof stage>[]): Draft => {
  const draft = strategy('new', ...stages.map((each) => stage(...each)));
  const metadata = { ...(draft.json['metadata'] as object), annotations: { [bypassAnnotation]: text } };
  return { ...draft, json: { ...draft.json, metadata } };
};
const waits: Parameters<typeof stage> = ['canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] }];

test.each(scopes)('audit log and log hold the same facts of a decision, $name', async (scope) => {
  const at = await start(scope);
  const { auditAnnotations } = await answered(
    at,
    '/validate',
    reviewIn(scope, asking('strategy-wait-time: INC-7', waits)),
  );
  expect(auditAnnotations).toEqual({
    rules: 'strategy-wait-time',
    modes: 'strategy-wait-time=warn',
    bypass: 'strategy-wait-time: "INC-7"',
    settings: hash,
    version,
  });
  const { rules, ...others } = auditAnnotations ?? {};
  expect(at.log.lines.at(-1)?.fields).toMatchObject({ ...others, rules: rules?.split(',') });
});

test.each(scopes)('equal plans have equal hashes, and others other ones, $name', async (scope) => {
  const at = await start(scope);
  const other = { spec: { resourceSnapshotIndex: '0' } };
  const plans = [run('one'), run('two'), run('three', other)].map((draft) => reviewIn(scope, draft, { dryRun: true }));
  const [one, two, three] = await Promise.all(plans.map((review) => answered(at, '/validate', review)));
  expect(one?.auditAnnotations?.['plan']).toEqual(hash);
  expect(two?.auditAnnotations?.['plan']).toBe(one?.auditAnnotations?.['plan']);
  expect(three?.auditAnnotations?.['plan']).toEqual(hash);
  expect(three?.auditAnnotations?.['plan']).not.toBe(one?.auditAnnotations?.['plan']);
});

test('every answer of both endpoints says which guard with which settings gave it', async () => {
  const at = await start(scopes[0] as Scope);
  const pod = reviewOf('pods', 'Pod', { name: 'p', object: {} });
  for (const [path, review] of [
    ['/validate', pod],
    ['/mutate', pod],
    ['/mutate', approvalReview()],
    ['/validate', reviewOf('clusterstagedupdateruns', 'ClusterStagedUpdateRun', { name: 'r', object: 5 })],
  ] as const) {
    expect((await answered(at, path, review)).auditAnnotations).toMatchObject({ version, settings: hash });
  }
  const stamped = await answered(at, '/mutate', approvalReview());
  expect(stamped.auditAnnotations).toMatchObject({ rules: 'stamp-approval', modes: 'stamp-approval=warn' });
});

test('the hash of the settings is equal for equal settings, however they are written', () => {
  const load = (text: string) => settingsHash(loadConfig(text, { file: 'f', ruleIds: ['a', 'b'] }));
  expect(load('rules: {a: warn, b: "off"}')).toBe(load('rules:\n  b: off\n  a: warn\n'));
  expect(load('rules: {a: warn}')).not.toBe(load('rules: {a: audit}'));
  expect(load('{}')).toBe(settingsHash(defaultConfig()));
});

const secret = 'hunter2-s3cr3t';

test.each(scopes)('what is secret in a review reaches no log, no metric and no audit log, $name', async (scope) => {
  const at = await start(scope, { may: () => Promise.reject(new Error('the API server answered 503')) });
  const hidden = {
    labels: { token: secret },
    managedFields: [{ manager: secret }],
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': secret,
      password: secret,
      [bypassAnnotation]: 'strategy-wait-time: drill',
    },
  };
  const userInfo = { username: 'alice', uid: secret, groups: [secret], extra: { token: [secret] } };
  const draft = strategy('new', stage(...waits));
  const annotated = {
    ...draft,
    json: { ...draft.json, metadata: { ...(draft.json['metadata'] as object), ...hidden } },
  };
  const reviews = [
    reviewIn(scope, annotated, { userInfo, options: { token: secret } }),
    reviewIn(scope, { ...draft, json: { ...draft.json, spec: { stages: secret } } }, { userInfo }),
    reviewIn(scope, run('release', { metadata: hidden, status: { conditions: [secret] } }), { userInfo }),
    approvalReview({ userInfo, oldObject: { metadata: hidden }, object: { metadata: hidden, status: secret } }),
    reviewOf('secrets', 'Secret', { name: 's', object: { data: { password: secret } }, userInfo }),
  ];
  const audits: unknown[] = [];
  for (const path of ['/validate', '/mutate']) {
    for (const review of reviews) audits.push((await answered(at, path, review)).auditAnnotations);
    for (const body of [`{"${secret}`, `[${secret}]`]) {
      await at.agent.post(path).type('application/json').set('Authorization', `Bearer ${secret}`).send(body);
    }
  }
  expect(at.log.lines.length).toBeGreaterThan(reviews.length);
  for (const told of [at.log.lines, await at.metrics.registry.metrics(), audits]) {
    expect(JSON.stringify(told)).not.toContain(secret);
  }
});
