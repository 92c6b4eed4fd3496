import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { warningText } from '../../src/engine/message.js';
import type { ReviewResponse } from '../../src/http/admission-review.js';
import { identityOf, reviewOf, validatingPhase } from '../../src/cli/try/review-of.js';
import { readManifests } from '../../src/sources/manifests/read.js';
import { run } from '../support/captured-io.js';
import { startExampleGuard } from '../support/example-guard.js';

let guard: Awaited<ReturnType<typeof startExampleGuard>>;
beforeAll(async () => {
  guard = await startExampleGuard();
});
afterAll(() => guard.stop());

interface Found {
  readonly rule: string;
  readonly severity: string;
  readonly path: string;
  readonly message: string;
}

/** Findings as far as an AdmissionReview can carry them; their order is that of each report's reader. */
type Carried = { readonly refusals: readonly unknown[]; readonly warnings: readonly string[] };

async function byCheck(file: string): Promise<Carried> {
  const { out } = await run(['check', file, '--fleet', 'examples/fleet', '--format', 'json']);
  const { findings } = JSON.parse(out) as { findings: Found[] };
  return {
    refusals: findings
      .filter(({ severity }) => severity === 'deny')
      .map(({ rule, path, message }) => ({ reason: rule, field: path, message })),
    warnings: findings
      .filter(({ severity }) => severity === 'warn')
      .map(({ rule, message }) => warningText(`[${rule}] ${message}`)),
  };
}

async function byWebhook(file: string): Promise<Carried> {
  const { documents } = await readManifests([file]);
  const responses: ReviewResponse[] = [];
  for (const { kind, json } of documents) {
    if (kind === undefined) continue;
    const identity = identityOf(kind, json);
    const key = [kind.plural, identity.namespace ?? '_', identity.name].join('/');
    const { status, body } = (await guard.agent.get(`/fleet/${key}`)) as {
      status: number;
      body: Record<string, unknown>;
    };
    const stored = status === 200 ? body : undefined;
    const operation = stored === undefined ? 'CREATE' : 'UPDATE';
    const write = { kind, json, stored, operation, subresource: undefined, user: 'alice', dryRun: false } as const;
    const review = reviewOf(write, identity);
    const sent = validatingPhase(review, (review['request'] as { object: unknown }).object);
    const answer = (await guard.agent.post('/validate').send(sent)) as { body: { response: ReviewResponse } };
    responses.push(answer.body.response);
  }
  const causesOf = ({ status }: ReviewResponse): unknown[] =>
    (status as { details?: { causes?: unknown[] } } | undefined)?.details?.causes ?? [];
  const warnings = responses.flatMap((response) => response.warnings ?? []);
  // The plan of an admitted run is shown like a warning, but is no finding.
  return { refusals: responses.flatMap(causesOf), warnings: warnings.filter((text) => !text.startsWith('plan: ')) };
}

function inOrder({ refusals, warnings }: Carried): Carried {
  const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
  return { refusals: refusals.toSorted(byText), warnings: warnings.toSorted() };
}

const files = ['good', 'bad', 'warn'].flatMap((folder) =>
  readdirSync(`examples/${folder}`).map((name) => `examples/${folder}/${name}`),
);

test.each(files)('%s is judged alike by the webhook and by check', async (file) => {
  expect(inOrder(await byWebhook(file))).toEqual(inOrder(await byCheck(file)));
});
