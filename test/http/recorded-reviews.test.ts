import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { applyPatch, type Operation } from 'rfc6902';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { decodeReview, type ReviewResponse } from '../../src/http/admission-review.js';
import { hookFor } from '../../src/http/hooks.js';
import { catalogue } from '../../src/rules/index.js';
import { fleetOf } from '../../src/sources/manifests/objects.js';
import { parseManifests } from '../../src/sources/manifests/parse.js';
import { version } from '../../src/version.js';
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

test('no write of the hub agent is for a webhook that refuses where the guard is silent, under whatever name', () => {
  const written = files.filter((file) => file.includes('hub-agent') && file.includes('-validate'));
  const closed = written.filter((file) => {
    const { subject } = decodeReview((JSON.parse(read(file)) as Recorded).review);
    return subject !== undefined && hookFor(subject.change, 'validate')?.failurePolicy === 'Fail';
  });
  expect([written.length, closed]).toEqual([expect.any(Number), []]);
  expect(written.length).toBeGreaterThan(15);
});

/** Which rules refuse a write and which warn of it; `plan` stands for the plan of a run. */
interface Judged {
  readonly refused?: readonly string[];
  readonly warned?: readonly string[];
}

const nothing: Judged = {};

/** Everything that a person wrote in the hour of the recording, and the whole verdict on it. */
const verdicts: Readonly<Record<string, Judged>> = {
  '006-placement-create': nothing,
  '012-resourceplacement-create': nothing,
  '018-strategy-create': nothing,
  '020-strategy-create-namespaced': nothing,
  '022-run-create-dry-run': { warned: ['plan', 'run-placement-free', 'run-latest-snapshot'] },
  '024-run-create': { warned: ['plan', 'run-latest-snapshot'] },
  '032-run-create-generatename-namespaced': { warned: ['plan', 'run-latest-snapshot'] },
  '040-run-create-server-side-apply': { warned: ['plan', 'run-not-started'] },
  '044-run-patch-state-stop': { warned: ['run-stop-effect'] },
  '046-run-patch-state-run': { warned: ['plan'] },
  '048-run-patch-label': nothing,
  '050-run-create-v1alpha1': { refused: ['run-api-version'] },
  '052-run-create-v1': { warned: ['plan', 'run-not-started', 'run-latest-snapshot'] },
  // Its status was dropped before this phase; the mutating phase has told.
  '056-approval-patch-on-the-main-resource': nothing,
  '058-approval-status-refused': { warned: ['approval-has-effect'] },
  '060-approval-status-documented-merge-patch-without-observedgeneration': nothing,
  '063-approval-status-server-side-apply': nothing,
  '065-approval-status-put': nothing,
  '073-placement-update-policy': { refused: ['placement-in-use'], warned: ['placement-in-use'] },
  '075-member-cluster-relabel': { warned: ['member-cluster-in-use'] },
  '077-strategy-update': { warned: ['strategy-in-use'] },
  '079-strategy-delete': { warned: ['strategy-in-use'] },
  // It had been accepted, so that nothing is lost with it.
  '081-approval-delete': nothing,
  '083-run-delete': nothing,
  '085-runs-delete-collection': nothing,
  '087-runs-delete-collection-2': nothing,
  '089-runs-delete-collection-3': nothing,
  '091-placement-delete': { refused: ['placement-in-use'], warned: ['placement-in-use'] },
};

const unique = (names: readonly string[]): readonly string[] => [...new Set(names)];

function judgedBy({ status, warnings = [] }: ReviewResponse): Judged {
  const { causes = [] } = (status?.['details'] ?? {}) as { causes?: readonly { reason: string }[] };
  const refused = unique(causes.map(({ reason }) => reason));
  const warned = unique(warnings.map((line) => /^\[(.+?)\]/.exec(line)?.[1] ?? line.slice(0, line.indexOf(':'))));
  return { ...(refused.length > 0 && { refused }), ...(warned.length > 0 && { warned }) };
}

describe('what a person writes is judged, no more and no less', () => {
  const written = files.filter((file) => /-validate(-\d)?\.json$/.test(file) && !file.includes('hub-agent'));
  test.each(written)('%s', async (file) => {
    const { response } = await answer(file);
    const expected = verdicts[file.replace(/-validate(-\d)?\.json$/, '$1')];
    expect(judgedBy(response)).toEqual(expected);
    expect(response.allowed).toBe(expected?.refused === undefined);
    expect(response.status?.['code']).toBe(expected?.refused === undefined ? undefined : 403);
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

  const stamped = /^0(55|59|61|62)-/;
  test.each(files.filter((file) => /-mutate(-\d)?\.json$/.test(file) && !stamped.test(file)))(
    'leaves %s alone',
    async (file) => {
      const { recorded, response } = await answer(file);
      expect(response).toEqual({
        uid: recorded.review.request.uid,
        allowed: true,
        auditAnnotations: { version },
      });
    },
  );
});
