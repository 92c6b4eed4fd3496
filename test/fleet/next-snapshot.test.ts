import { expect, test } from '@jest/globals';
import { nextSnapshot } from '../../src/fleet/next-snapshot.js';
import { resourceSnapshot } from '../support/builders.js';
import { objectIn, scopes } from '../support/scopes.js';

const now = Date.parse('2026-11-16T09:00:00Z');
const key = 'kubernetes-fleet.io/next-resource-snapshot-candidate-detection-time';

test.each([
  ['an old snapshot, unless somebody looks again 15 seconds from now', {}, false, '09:00:15'],
  ['a snapshot of 5 seconds ago', { creationTimestamp: '2026-11-16T08:59:55Z' }, false, '09:00:25'],
  ['a change that was noted a day ago', { annotations: { [key]: '2026-11-15T09:00:00Z' } }, true, '09:00:15'],
  [
    'a change that was noted in another time zone',
    { annotations: { [key]: '2026-11-16T11:30:00+02:30' } },
    true,
    '09:00:15',
  ],
  [
    'a change that was noted on a new snapshot',
    {
      creationTimestamp: '2026-11-16T08:59:50Z',
      annotations: { [key]: '2026-11-16T08:59:55Z' },
    },
    true,
    '09:00:20',
  ],
  ['a note that is a date', { annotations: { [key]: '2026-11-16' } }, false, '09:00:15'],
  ['a note that is nothing', { annotations: { [key]: '' } }, false, '09:00:15'],
  ['a note of the 99th', { annotations: { [key]: '2026-11-99T00:00:00Z' } }, false, '09:00:15'],
])('%s', (_, metadata, isNoted, time) => {
  for (const scope of scopes) {
    const next = nextSnapshot(objectIn(scope, resourceSnapshot(3, { metadata })), now);
    expect([next.isNoted, new Date(next.from).toISOString().slice(11, 19)]).toEqual([isNoted, time]);
  }
});
