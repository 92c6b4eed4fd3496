import { expect, test } from '@jest/globals';
import { differencesBetween } from '../../src/floor/compare.js';
import type { FloorObject } from '../../src/floor/objects.js';

const labels = { 'app.kubernetes.io/name': 'stageguard', 'app.kubernetes.io/instance': 'stageguard' };
const wanted: FloorObject = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'x', labels },
  spec: { matchConstraints: { resourceRules: [{ operations: ['CREATE'] }] }, validations: [{ expression: 'true' }] },
};
/** As the API server stores it. */
const stored = {
  ...wanted,
  metadata: { name: 'x', labels, uid: 'u', generation: 1 },
  spec: {
    ...wanted.spec,
    matchConstraints: {
      resourceRules: [{ operations: ['CREATE'], scope: '*' }],
      matchPolicy: 'Equivalent',
      namespaceSelector: {},
      objectSelector: {},
    },
  },
  status: { observedGeneration: 1 },
};

const compared = (...all: readonly unknown[]): readonly string[] =>
  differencesBetween([wanted], all as readonly FloorObject[], 'stageguard').map(({ name, is }) => `${name} ${is}`);

test('what the API server fills in is no difference', () => {
  expect(compared(stored)).toEqual([]);
});

test('what bears the labels of the release and is not asked for is left over; what is of others is not', () => {
  const another = { ...stored, metadata: { name: 'y', labels } };
  const ofAnotherRelease = { ...labels, 'app.kubernetes.io/instance': 'other' };
  expect(compared(stored, another)).toEqual(['y left over']);
  expect(compared(stored, { ...stored, metadata: { name: 'z', labels: ofAnotherRelease } })).toEqual([]);
  expect(compared(stored, { ...stored, metadata: { name: 'z' } })).toEqual([]);
});

test.each<[string, unknown, string]>([
  ['nothing there', { ...stored, kind: 'ValidatingAdmissionPolicyBinding', metadata: { name: 'x' } }, 'missing'],
  ['another expression', { ...stored, spec: { ...stored.spec, validations: [{ expression: 'false' }] } }, 'changed'],
  [
    'an exception',
    {
      ...stored,
      spec: { ...stored.spec, matchConstraints: { ...stored.spec.matchConstraints, excludeResourceRules: [{}] } },
    },
    'changed',
  ],
  [
    'a selector that leaves something out',
    {
      ...stored,
      spec: {
        ...stored.spec,
        matchConstraints: { ...stored.spec.matchConstraints, objectSelector: { matchLabels: { a: 'b' } } },
      },
    },
    'changed',
  ],
  ['another policy on failure', { ...stored, spec: { ...stored.spec, failurePolicy: 'Ignore' } }, 'changed'],
  [
    'about to go',
    { ...stored, metadata: { ...stored.metadata, deletionTimestamp: '2026-01-02T03:04:05Z' } },
    'being deleted',
  ],
])('%s', (_, have, is) => {
  expect(compared(have)).toEqual([`x ${is}`]);
});
