import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { IndexedFleet } from '../../src/fleet/indexed-fleet.js';
import { kinds } from '../../src/fleet/kinds.js';
import { catalogue } from '../../src/rules/index.js';
import { testNow } from '../support/rule-tester.js';
import { startGuard, type TestGuard } from '../support/guard.js';

let guard: TestGuard;
const fleet = new IndexedFleet('complete');
beforeAll(async () => {
  guard = await startGuard({
    judge: (change) => evaluate(change, { rules: catalogue, fleet, policy: defaultPolicy, now: testNow }),
  });
});
afterAll(() => guard.stop());

const anyJson = fc.jsonValue({ maxDepth: 4 });
const half = (...fields: string[]): fc.Arbitrary<unknown> =>
  fc.oneof(fc.dictionary(fc.constantFrom(...fields), anyJson), anyJson);
const condition = half('type', 'status', 'observedGeneration');
const object = fc.oneof(
  fc.record(
    {
      metadata: half('name', 'namespace', 'generation', 'labels', 'deletionTimestamp', '__proto__'),
      spec: half('stages', 'state', 'placementName', 'stagedRolloutStrategyName', 'resourceSnapshotIndex', 'policy'),
      status: fc.oneof(
        fc.record({ conditions: fc.array(condition, { maxLength: 3 }) }),
        half('conditions', 'stagesStatus'),
      ),
    },
    { requiredKeys: [] },
  ),
  anyJson,
);
const request = fc.oneof(
  fc
    .tuple(fc.constantFrom(...kinds), fc.constantFrom('CREATE', 'UPDATE', 'DELETE'), object, object, anyJson)
    .map(([kind, operation, now, old, odd]) => ({
      uid: 'u',
      resource: { group: kind.group, resource: kind.plural, version: 'v1beta1' },
      operation,
      namespace: kind.namespaced ? 'team-a' : '',
      subResource: odd === null ? 'status' : '',
      object: now,
      oldObject: old,
      userInfo: odd,
      requestKind: odd,
      dryRun: odd,
    })),
  anyJson,
);

test.each(['/validate', '/mutate'])(
  '%s answers any JSON, well-formed, and never with 500',
  async (path) => {
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        const review = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', request: given };
        const { status, body } = (await guard.agent.post(path).send(review)) as {
          status: number;
          body: { error?: unknown; response?: Record<string, unknown> };
        };
        expect([200, 400]).toContain(status);
        if (status === 400) {
          expect(body).toEqual({ error: expect.any(String) });
          return;
        }
        expect(body.response).toMatchObject({ uid: expect.any(String), allowed: expect.any(Boolean) });
        const warnings = (body.response?.['warnings'] ?? []) as string[];
        expect(warnings.filter((line) => line.includes('\n') || line.length > 256)).toEqual([]);
      }),
      { numRuns: 150 },
    );
    // A rule that throws on junk is a bug, even where the answer hides it.
    expect(await guard.metrics.registry.metrics()).not.toMatch(/stageguard_rule_failures_total\{.*\} [^0]/);
  },
  60_000,
);
