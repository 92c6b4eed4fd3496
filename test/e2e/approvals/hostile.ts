import fc from 'fast-check';
import { sameJson } from '../../../src/fleet/json.js';
import type { Answer } from '../harness/api.js';

const right = {
  ...{ type: 'Approved', status: 'True', reason: 'ok', message: '' },
  ...{ lastTransitionTime: '2026-11-17T03:04:05Z', observedGeneration: 1 },
};
const nested = (depth: number): unknown => (depth === 0 ? 'x' : [nested(depth - 1)]);

/** What people and programs send by mistake, and what only someone with bad intentions does. */
const known: readonly unknown[] = [
  ...['x', 5, true, [], [[]], 'x'.repeat(100_000)],
  ...['x', 5, { a: 1 }, ['x'], [null], [5], [[right]], [{}], [right, 'x'], ['x', right]].map((conditions) => ({
    conditions,
  })),
  { conditions: [right, right] },
  { conditions: Array(1000).fill(right) },
  { conditions: Array.from({ length: 1000 }, (_, index) => ({ ...right, type: `Condition${index}` })) },
  { conditions: nested(200) },
  ...[
    { status: true },
    { status: 'Yes' },
    { status: undefined },
    { status: null },
    { reason: 'looks good!' },
    { reason: 5 },
    { reason: 'x'.repeat(1025) },
    { message: { a: nested(100) } },
    { message: 'x'.repeat(32_769) },
    { lastTransitionTime: 'yesterday' },
    { lastTransitionTime: '2026-11-17 03:04:05' },
    { lastTransitionTime: 1_763_000_000 },
    { lastTransitionTime: '' },
    { observedGeneration: nested(100) },
    { observedGeneration: false },
    { type: 'approved' },
    { type: '__proto__' },
    { type: 'constructor' },
    { unknownField: nested(50) },
  ].map((more) => ({ conditions: [{ ...right, ...more }] })),
  { conditions: [right], unknownField: 1 },
];

const oddCondition = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.record(
    {
      type: fc.oneof(fc.constantFrom('Approved', 'ApprovalAccepted', 'approved', 'Other'), fc.jsonValue()),
      status: fc.oneof(fc.constantFrom('True', 'False', 'Unknown', 'true'), fc.jsonValue()),
      reason: fc.oneof(fc.constantFrom('ok', '', ' '), fc.jsonValue()),
      message: fc.oneof(fc.string({ unit: 'binary' }), fc.jsonValue()),
      lastTransitionTime: fc.oneof(fc.constantFrom(right.lastTransitionTime, 'now', ''), fc.jsonValue()),
      observedGeneration: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
    },
    { requiredKeys: [] },
  ),
);
const oddStatus = fc.oneof(
  fc.jsonValue(),
  fc.record({ conditions: fc.jsonValue() }),
  fc.record({ conditions: fc.array(oddCondition, { maxLength: 4 }) }),
);

/** The same every time, so that what is found is found again. */
export const hostileStatuses: readonly unknown[] = [...known, ...fc.sample(oddStatus, { numRuns: 100, seed: 20_261 })];

/** What the API server itself holds against an object, in no certain order. */
function problemsOf({ body }: Answer): readonly string[] {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: readonly { field?: string; message?: string }[] };
  return causes.map(({ field, message }) => `${field ?? ''}: ${message ?? ''}`).sort();
}

/** Who had the last word on a write; the guard may have stamped some of it, and may refuse what the schema lets in. */
export function judgeOf(open: Answer, guarded: Answer): string {
  const isStamped = guarded.warnings.some((line) => line.startsWith('[stamp-approval]'));
  const problems = problemsOf(guarded);
  const message = String(guarded.body['message']);
  if (guarded.status === 422 && !message.includes('webhook')) {
    const known = new Set(problemsOf(open));
    const isLess = isStamped && problems.every((problem) => known.has(problem));
    return isLess || sameJson(problems, problemsOf(open)) ? 'the API server' : 'nobody knows';
  }
  if (guarded.status === 403 && open.status !== 422) return /^\[approval-conditions\]/m.exec(message)?.[0] ?? message;
  return guarded.status === 200 && (open.status === 200 || isStamped) ? 'the API server' : message;
}
