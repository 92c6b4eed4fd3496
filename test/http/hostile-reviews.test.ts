import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import type { ReviewResponse } from '../../src/http/admission-review.js';
import { catalogue } from '../../src/rules/index.js';
import { approval, cluster, placement, run, stage, strategy } from '../support/builders.js';
import { startGuard, type TestGuard } from '../support/guard.js';
import { hostileRequest, hostileUid } from '../support/hostile-json.js';
import { testNow } from '../support/rule-tester.js';
import { fleetIn, scopes } from '../support/scopes.js';

/*
 * Both endpoints against objects of every family with hostile parts. A longer run by hand:
 * STAGEGUARD_FUZZ_RUNS=20000 npm test -- test/http/hostile-reviews.test.ts, and STAGEGUARD_FUZZ_SEED to repeat one.
 */
const numRuns = Number(process.env['STAGEGUARD_FUZZ_RUNS'] ?? 200);
const seed = process.env['STAGEGUARD_FUZZ_SEED'];

let guard: TestGuard;
const [, namespaced] = scopes;
const stored = [
  cluster('eu-1', { a: 'prod' }),
  placement('release'),
  strategy('release', stage('prod', { labelSelector: { matchLabels: { a: 'prod' } } })),
  run('release'),
  approval('release-after-prod'),
];

beforeAll(async () => {
  if (namespaced === undefined) throw new Error('no scope');
  const fleet = fleetIn(namespaced, stored);
  guard = await startGuard({
    judge: (change) => evaluate(change, { rules: catalogue, fleet, policy: defaultPolicy, now: testNow }),
  });
});
afterAll(() => guard.stop());

const counts = new Map<string, number>();
afterAll(() => {
  const told = [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `${what} ${String(count)}`);
  process.stdout.write(`hostile reviews: ${told.join(', ')}\n`);
});

interface Answer {
  readonly status: number;
  readonly body: { readonly error?: unknown; readonly response?: ReviewResponse };
}

/** An answer in a word, after a look at its shape. */
function shapeOf({ status, body }: Answer): string {
  if (status !== 200) {
    expect([400, 413]).toContain(status);
    expect(body).toEqual({ error: expect.any(String) });
    return `answered ${String(status)}`;
  }
  const { response } = body;
  expect([response?.uid, typeof response?.allowed]).toEqual([hostileUid, 'boolean']);
  const lines = response?.warnings ?? [];
  expect(lines.filter((line) => /\p{Cc}/u.test(line) || line.length > 256)).toEqual([]);
  if (response?.patch !== undefined) {
    const patch = JSON.parse(Buffer.from(response.patch, 'base64').toString('utf8')) as { op: string; path: string }[];
    expect(patch.filter(({ op, path }) => op !== 'add' || !path.startsWith('/status/conditions/'))).toEqual([]);
  }
  if (response?.allowed === true) return response.patch === undefined ? 'admitted' : 'patched';
  expect([403, 429]).toContain(response?.status?.['code']);
  expect(response?.status?.['message']).toMatch(/^refused/);
  return 'refused';
}

test.each(['/validate', '/mutate'])(
  '%s answers every hostile review, in the right shape, and never with 500',
  async (path) => {
    await fc.assert(
      fc.asyncProperty(hostileRequest, async (request) => {
        const review = { kind: 'AdmissionReview', apiVersion: 'admission.k8s.io/v1', request };
        const word = shapeOf(await guard.agent.post(path).send(review));
        const what = `${path} ${word}`;
        counts.set(what, (counts.get(what) ?? 0) + 1);
      }),
      { numRuns, ...(seed !== undefined && { seed: Number(seed) }) },
    );
    // A rule that throws on junk is a bug, even where the answer hides it.
    expect(await guard.metrics.registry.metrics()).not.toMatch(/stageguard_rule_failures_total\{.*\} [^0]/);
  },
  60_000 + numRuns * 100,
);
