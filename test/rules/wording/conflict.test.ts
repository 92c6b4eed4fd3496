import { expect, test } from '@jest/globals';
import type { RunStart } from '../../../src/engine/change.js';
import {
  nameTaken,
  placementFreeRule,
  placementPending,
  placementTaken,
  placementUnclaimed,
} from '../../../src/rules/wording/conflict.js';
import { condition, creation, run, start } from '../../support/builders.js';
import { unlistedFixes } from '../../support/printed-fixes.js';
import { changeIn, objectIn, scopes } from '../../support/scopes.js';

const initialized = condition('Initialized', 'True');
const active = run('earlier', { status: { conditions: [initialized] } });
const stuck = run('earlier', {
  status: { conditions: [initialized, condition('Progressing', 'False', 'UpdateRunStuck')] },
});
const deleted = run('earlier', { metadata: { deletionTimestamp: '2026-11-16T08:00:00Z' } });

test.each(scopes)('every fix of a conflict that can be pasted is known to the tests of fixes, $name', (scope) => {
  const starts = [creation(run('release')), start(run('release'))].map((draft) => changeIn(scope, draft) as RunStart);
  const [first] = starts as [RunStart];
  const texts = [
    ...starts.flatMap((change) => [
      placementTaken(change, objectIn(scope, active)),
      placementTaken(change, objectIn(scope, stuck)),
      placementPending(change, { name: 'earlier', isStored: true, freeIn: 1 }),
      placementUnclaimed(change, 'the API server is gone'),
    ]),
    nameTaken(first, objectIn(scope, active)),
    nameTaken(first, objectIn(scope, deleted)),
  ];
  const fixes = texts.map(({ fix }) => fix);
  expect(unlistedFixes(placementFreeRule, fixes)).toEqual([]);
  expect(unlistedFixes('another-rule', fixes)).not.toEqual([]);
});
