import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyPatch } from 'rfc6902';
import { stampApproval } from '../../src/mutations/stamp-approval.js';

const now = Date.parse('2026-11-16T09:00:00.250Z');
const accepted = {
  type: 'ApprovalAccepted',
  status: 'True',
  reason: 'ApprovalRequestApprovalAccepted',
  message: 'The approval request has been approved and cannot be reverted',
  lastTransitionTime: '2026-11-16T08:00:00Z',
  observedGeneration: 3,
};
const right = {
  type: 'Approved',
  status: 'True',
  reason: 'ok',
  message: '',
  lastTransitionTime: '2026-11-16T08:30:00Z',
  observedGeneration: 3,
};

const withConditions = (conditions: unknown, generation: unknown = 3): Record<string, unknown> => ({
  metadata: { name: 'release-after-canary', generation },
  spec: { parentStageRollout: 'release', targetStage: 'canary' },
  status: { conditions },
});
const untouched = { metadata: { name: 'release-after-canary', generation: 3 } };

function stamp(object: unknown, oldObject: unknown = untouched): ReturnType<typeof stampApproval> & { after: unknown } {
  const { patch, warnings } = stampApproval({ object, oldObject, user: 'alice', now });
  return { patch, warnings, after: patched(object, patch) };
}

/** What the API server makes of an object and a patch, by a library that is not ours. */
function patched(object: unknown, patch: readonly { op: 'add'; path: string; value: unknown }[]): unknown {
  const copy = structuredClone(object);
  expect(applyPatch(copy, structuredClone([...patch]))).toEqual(patch.map(() => null));
  return copy;
}

describe('an approval becomes one that the controller accepts', () => {
  test.each<[string, unknown, string]>([
    ['absent', undefined, 'it was absent'],
    ['null', null, 'it was null'],
    ['zero', 0, 'it was 0'],
    ['stale', 2, 'it was 2'],
    ['ahead', 4, 'it was 4'],
    ['a string', '3', 'it was "3"'],
    ['absurd', 1e300, 'it was 1e+300'],
  ])('when observedGeneration is %s', (_, observedGeneration, was) => {
    const given = { ...right, observedGeneration };
    const { after, warnings } = stamp(withConditions([JSON.parse(JSON.stringify(given))]));
    expect(after).toEqual(withConditions([right]));
    expect(warnings).toEqual([
      `[stamp-approval] condition Approved: set observedGeneration to 3 (${was}), so that the controller accepts it`,
    ]);
  });

  test('when only type and status are given', () => {
    const { after, warnings } = stamp(withConditions([{ type: 'Approved', status: 'True' }]));
    expect(after).toEqual(
      withConditions([
        {
          type: 'Approved',
          status: 'True',
          observedGeneration: 3,
          lastTransitionTime: '2026-11-16T09:00:00Z',
          reason: 'Approved',
          message: 'Approved by alice',
        },
      ]),
    );
    expect(warnings).toEqual([
      '[stamp-approval] condition Approved: set observedGeneration to 3 (it was absent); ' +
        'filled lastTransitionTime, reason, message, so that the controller accepts it',
    ]);
  });

  test('when the answer is no, of which nobody is promised anything', () => {
    const { warnings } = stamp(withConditions([{ ...right, status: 'False', observedGeneration: 0 }]));
    expect(warnings).toEqual(['[stamp-approval] condition Approved: set observedGeneration to 3 (it was 0)']);
  });

  test('when a Go client sends its zero time as null and an empty reason', () => {
    const { after } = stamp(withConditions([{ ...right, lastTransitionTime: null, reason: '' }]));
    expect(after).toEqual(
      withConditions([{ ...right, lastTransitionTime: '2026-11-16T09:00:00Z', reason: 'Approved' }]),
    );
  });

  test('and a refusal to approve is stamped as well', () => {
    const { after } = stamp(withConditions([{ type: 'Approved', status: 'False' }]));
    expect(after).toMatchObject(
      withConditions([{ observedGeneration: 3, reason: 'NotApproved', message: 'Not approved by alice' }]),
    );
  });

  test.each(['True', 'False'])('every reason that is filled in fits the pattern of the schema, status %s', (status) => {
    const { patch } = stamp(withConditions([{ type: 'Approved', status }]));
    const reason = patch.find(({ path }) => path.endsWith('/reason'))?.value;
    expect(reason).toMatch(/^[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?$/);
  });

  test('wherever it stands in the list', () => {
    const other = { type: 'Noted', status: 'True' };
    const { patch } = stamp(withConditions([other, 'x', null, { ...right, observedGeneration: 1 }]));
    expect(patch).toEqual([{ op: 'add', path: '/status/conditions/3/observedGeneration', value: 3 }]);
  });

  test('in every entry, where there are two: which of them stays is for the API server to say', () => {
    const { after, warnings } = stamp(
      withConditions([
        { ...right, observedGeneration: 1 },
        { ...right, reason: '' },
      ]),
    );
    expect(after).toEqual(withConditions([right, { ...right, reason: 'Approved' }]));
    expect(warnings).toHaveLength(2);
  });

  test.each<[string, object]>([
    ['a time that is none', { lastTransitionTime: 'yesterday' }],
    ['a reason that the schema does not take', { reason: 'looks good!' }],
    ['a status that is none', { status: true }],
    ['a message that is no text', { message: 5 }],
    ['a field that nobody knows', { approver: 'bob' }],
  ])('and %s is left for the API server to refuse', (_, odd) => {
    const { after } = stamp(withConditions([{ ...right, ...odd, observedGeneration: 0 }]));
    expect(after).toEqual(withConditions([{ ...right, ...odd }]));
  });

  test('by the generation of the stored object, not by what the writer says it is', () => {
    const written = { ...withConditions([right], 99) };
    expect(stamp(written, withConditions([], 5)).patch).toEqual([
      { op: 'add', path: '/status/conditions/0/observedGeneration', value: 5 },
    ]);
  });
});

describe('the time of a transition', () => {
  const timeless = { type: 'Approved', status: 'True', reason: 'ok', message: '', observedGeneration: 3 };

  test('stays where the status stays', () => {
    expect(stamp(withConditions([timeless]), withConditions([right])).after).toEqual(withConditions([right]));
  });

  test('is now where the status differs', () => {
    const { after } = stamp(withConditions([timeless]), withConditions([{ ...right, status: 'False' }]));
    expect(after).toEqual(withConditions([{ ...timeless, lastTransitionTime: '2026-11-16T09:00:00Z' }]));
  });

  test('is now where the stored one is no time', () => {
    const { after } = stamp(withConditions([timeless]), withConditions([{ ...right, lastTransitionTime: 'noon' }]));
    expect(after).toEqual(withConditions([{ ...timeless, lastTransitionTime: '2026-11-16T09:00:00Z' }]));
  });
});

describe('ApprovalAccepted', () => {
  test('is put back when a write that adds Approved drops it', () => {
    const { after, warnings } = stamp(withConditions([right]), withConditions([accepted]));
    expect(after).toEqual(withConditions([right, accepted]));
    expect(warnings).toEqual([
      '[stamp-approval] put back condition ApprovalAccepted, which this write would have dropped',
    ]);
  });

  test('is put back when a write that changes Approved drops it', () => {
    const { after } = stamp(withConditions([{ ...right, reason: 'again' }]), withConditions([right, accepted]));
    expect(after).toEqual(withConditions([{ ...right, reason: 'again' }, accepted]));
  });

  test('is put back where the approval is taken back after it was accepted', () => {
    const refused = { ...right, status: 'False' };
    const { after } = stamp(withConditions([refused]), withConditions([right, accepted]));
    expect(after).toEqual(withConditions([refused, accepted]));
  });

  test('is put back alone: what else the write has dropped stays dropped', () => {
    const misspelt = { ...right, type: 'approved' };
    const { after } = stamp(withConditions([right]), withConditions([misspelt, accepted]));
    expect(after).toEqual(withConditions([right, accepted]));
  });

  test('stays away when the write leaves Approved as it was', () => {
    expect(stamp(withConditions([right]), withConditions([right, accepted])).patch).toEqual([]);
  });

  test('stays away when the write takes Approved away as well', () => {
    expect(stamp(withConditions([]), withConditions([right, accepted])).patch).toEqual([]);
  });

  test('is left alone when the write keeps it, even changed', () => {
    const forged = { ...accepted, status: 'False' };
    const { after } = stamp(withConditions([{ ...right, reason: 'x' }, forged]), withConditions([right, accepted]));
    expect(after).toEqual(withConditions([{ ...right, reason: 'x' }, forged]));
  });
});

describe('nothing is changed and nothing said', () => {
  const many = Array.from({ length: 100_000 }, (_, index) => ({ type: `T${index}`, status: 'True' }));

  test.each<[string, unknown, unknown]>([
    ['for a write that is right', withConditions([right]), untouched],
    ['without a status', { metadata: {} }, untouched],
    ['with a status of null', { status: null }, untouched],
    ['with a status that is text', { status: 'x' }, untouched],
    ['with conditions that are an object', withConditions({ a: 1 }), untouched],
    ['with conditions that are text', withConditions(['x', 5, null, [], true]), untouched],
    ['with other condition types', withConditions([{ type: 'approved', status: 'True' }]), untouched],
    ['without a stored object', withConditions([{ type: 'Approved' }]), null],
    ['without a stored generation', withConditions([{ type: 'Approved' }]), { metadata: {} }],
    ['with a stored generation that is no number', withConditions([{ type: 'Approved' }]), withConditions([], 'x')],
    ['with a stored generation that is NaN', withConditions([{ type: 'Approved' }]), withConditions([], Number.NaN)],
    ['for null', null, null],
    ['for 100,000 other conditions', withConditions(many), withConditions(many)],
    ['for a type behind __proto__', withConditions([JSON.parse('{"__proto__":{"type":"Approved"}}')]), untouched],
  ])('%s', (_, object, oldObject) => {
    expect(stampApproval({ object, oldObject, user: 'alice', now })).toEqual({ patch: [], warnings: [] });
  });
});

test('100,000 conditions of type Approved get a small answer', () => {
  const conditions = Array.from({ length: 100_000 }, () => ({ type: 'Approved', status: 'True' }));
  const { patch, warnings } = stampApproval({
    object: withConditions(conditions),
    oldObject: untouched,
    user: 'a',
    now,
  });
  expect(patch).toHaveLength(32);
  expect(warnings).toHaveLength(1);
});

test('a warning is one short line whatever the writer sent', () => {
  const { warnings } = stamp(withConditions([{ ...right, observedGeneration: 'a\nb'.repeat(1000) }]));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).not.toContain('\n');
  expect(warnings[0]?.length).toBeLessThanOrEqual(256);
});

const condition = fc.oneof(
  fc.record(
    {
      type: fc.constantFrom('Approved', 'ApprovalAccepted', 'Other'),
      status: fc.constantFrom('True', 'False', 'Unknown'),
      observedGeneration: fc.oneof(fc.integer({ min: 0, max: 4 }), fc.constant(null)),
      reason: fc.constantFrom('', 'ok'),
      message: fc.string(),
      lastTransitionTime: fc.constantFrom('2026-11-16T08:30:00Z', '', null),
    },
    { requiredKeys: ['type'] },
  ),
  fc.jsonValue(),
);
const anyObject = fc.oneof(
  fc.array(condition, { maxLength: 5 }).map((conditions) => withConditions(conditions)),
  fc.jsonValue(),
);

test('a second stamp finds nothing to repair, and only the list of conditions is ever touched', () => {
  fc.assert(
    fc.property(anyObject, anyObject, (object, oldObject) => {
      const before = JSON.stringify(object);
      const { patch, after } = stamp(object, oldObject);
      expect(JSON.stringify(object)).toBe(before);
      expect(patch.every(({ path }) => path.startsWith('/status/conditions/'))).toBe(true);
      expect(stamp(after, oldObject).patch).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
