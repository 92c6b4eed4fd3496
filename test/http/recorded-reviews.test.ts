import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { applyPatch, type Operation } from 'rfc6902';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import type { ReviewResponse } from '../../src/http/admission-review.js';
import { catalogue } from '../../src/rules/index.js';
import { fleetOf } from '../../src/sources/manifests/objects.js';
import { parseManifests } from '../../src/sources/manifests/parse.js';
import { startGuard, type TestGuard } from '../support/guard.js';

/* What a real API server sent, answered against the fleet of the moment when run r1 waited for its approval. */

interface Recorded {
  readonly sent: string;
  readonly review: {
    readonly request: { readonly uid: string; readonly object: unknown; readonly oldObject: unknown };
  };
}

const folder = join(import.meta.dirname, '..', 'reviews');
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');
const files = readdirSync(folder).filter((file) => /^\d{3}-/.test(file));
const now = Date.parse('2026-11-16T09:56:00Z');

let guard: TestGuard;
beforeAll(async () => {
  const { fleet } = fleetOf(parseManifests('fleet.json', read('fleet.json')).documents, 'complete');
  guard = await startGuard({
    judge: (change) => evaluate(change, { rules: catalogue, fleet, policy: defaultPolicy, now }),
    now: () => now,
  });
});
afterAll(() => guard.stop());

async function answer(file: string): Promise<{ recorded: Recorded; response: ReviewResponse }> {
  const recorded = JSON.parse(read(file)) as Recorded;
  const { body, status } = (await guard.agent.post(recorded.sent).send(recorded.review)) as {
    status: number;
    body: { response: ReviewResponse };
  };
  expect(status).toBe(200);
  expect(body.response.uid).toBe(recorded.review.request.uid);
  return { recorded, response: body.response };
}

test('all of them are here', () => {
  expect(files).toHaveLength(91);
});

describe('the hub agent is admitted, unchanged and without a word', () => {
  test.each(files.filter((file) => file.includes('hub-agent')))('%s', async (file) => {
    const { response } = await answer(file);
    expect(response).toMatchObject({ allowed: true });
    expect(response.patch ?? response.warnings).toBeUndefined();
  });
});

/** What each write of alice is refused for; those that are not here are admitted. */
const refusals: Readonly<Record<string, string>> = {
  '050-run-create-v1alpha1-validate.json': 'run-api-version',
};

/** What some of those that are admitted are warned of; other warnings may come along. */
const warnings: Readonly<Record<string, string>> = {
  '022-run-create-dry-run-validate.json': 'run-placement-free',
  '040-run-create-server-side-apply-validate.json': 'run-not-started',
  '044-run-patch-state-stop-validate.json': 'run-stop-effect',
  '052-run-create-v1-validate.json': 'run-not-started',
};

/** Judged by rules that look at more than the write itself; here it only counts that they are answered. */
const elsewhere = /placement-update|placement-delete|strategy-delete|approval-status|approval-delete/;

describe('what a person writes is judged', () => {
  const written = files.filter((file) => /-validate(-\d)?\.json$/.test(file) && !file.includes('hub-agent'));
  test.each(written)('%s', async (file) => {
    const { response } = await answer(file);
    const expected = refusals[file];
    if (!elsewhere.test(file)) expect(response.allowed).toBe(expected === undefined);
    if (expected !== undefined) {
      expect(response.status).toMatchObject({ code: 403, details: { causes: [{ reason: expected }] } });
    }
    const warned = warnings[file];
    if (warned !== undefined) expect(response.warnings?.join('\n')).toContain(`[${warned}]`);
  });
});

describe('the mutating phase', () => {
  const approved = { type: 'Approved', status: 'True', observedGeneration: 1 };
  const ok = { ...approved, reason: 'ok', message: '', lastTransitionTime: '2026-11-16T00:00:00Z' };

  test.each<[string, unknown]>([
    ['059-approval-status-documented-merge-patch-without-observedgeneration-mutate.json', ok],
    ['062-approval-status-server-side-apply-mutate.json', ok],
    [
      '061-approval-status-only-type-and-status-mutate.json',
      // The status stays True, and with it the time at which it became so.
      { ...ok, reason: 'Approved', message: 'Approved by alice' },
    ],
  ])('stamps %s', async (file, expected) => {
    const { recorded, response } = await answer(file);
    const object = structuredClone(recorded.review.request.object) as { status: { conditions: unknown[] } };
    const before = structuredClone(object);
    const patch = JSON.parse(Buffer.from(response.patch ?? '', 'base64').toString()) as Operation[];
    expect(applyPatch(object, patch)).toEqual(patch.map(() => null));
    expect(object.status.conditions).toEqual([expected]);
    expect({ ...object, status: before.status }).toEqual(before);
    expect(response.warnings).toHaveLength(1);
  });

  test('tells alice what works when she sends a status to the main resource', async () => {
    const { response } = await answer('055-approval-patch-on-the-main-resource-mutate.json');
    expect(response.patch).toBeUndefined();
    expect(response.warnings?.join('\n')).toContain(
      'kubectl patch clusterapprovalrequests r1-after-canary --subresource=status --type=merge',
    );
  });

  const mended = /^0(55|59|61|62)-/;
  test.each(files.filter((file) => /-mutate(-\d)?\.json$/.test(file) && !mended.test(file)))(
    'leaves %s alone',
    async (file) => {
      const { recorded, response } = await answer(file);
      expect(response).toEqual({ uid: recorded.review.request.uid, allowed: true });
    },
  );
});
