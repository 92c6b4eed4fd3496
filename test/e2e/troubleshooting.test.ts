import { beforeAll, describe, expect, test } from '@jest/globals';
import { entries } from '../../src/config/entries.js';
import { send, type Site } from './fixes/case.js';
import { pooled } from './harness/pooled.js';
import type { Failure } from './troubleshooting/failure.js';
import { failures, olderStrategies } from './troubleshooting/failures.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { bothScopes, joinMembers } from './harness/world.js';

const it = useGuardedHub({ before: olderStrategies });
beforeAll(() => joinMembers(it().hub), 30_000);

test('every rule that is named here exists', () => {
  const known = new Set([...entries.map(({ id }) => id), 'the API']);
  expect(failures.filter(({ outcome }) => !known.has(outcome.by))).toEqual([]);
});

async function meet(failure: Failure, site: Site): Promise<void> {
  const { outcome, says = '' } = failure;
  await failure.prepare?.(site);
  const ran = await send(site, failure.write(site));
  expect([ran.code, ran.stderr]).toEqual([outcome.is === 'refused' ? 1 : 0, expect.stringContaining(says)]);
  expect(ran.stderr).toContain(markOf(outcome));
  await failure.after?.(site, ran);
}

/** By which one sees whose word it is. */
function markOf({ is, by }: Failure['outcome']): string {
  if (is === 'repaired') return 'Warning: ';
  return by === 'the API' ? 'is invalid: ' : `[${by}]`;
}

describe('the troubleshooting documents', () => {
  const rows = failures.flatMap((failure, index) =>
    bothScopes.map(([where, scope]): [string, Failure, Omit<Site, 'hub' | 'agent'>] => [
      `${failure.what} ${where} (${failure.in.join(', ')}): ${failure.outcome.is} by ${failure.outcome.by}`,
      failure,
      { scope, name: `case-${index}-${scope ?? 'hub'}` },
    ]),
  );
  let outcomes: readonly Promise<void>[] = [];
  beforeAll(() => {
    outcomes = pooled(
      rows.map(
        ([, failure, site]) =>
          () =>
            meet(failure, { ...it(), ...site }),
      ),
      6,
    );
  });

  test.each(rows.map(([name], index): [string, number] => [name, index]))(
    '%s',
    async (_name, index) => {
      await outcomes[index];
    },
    120_000,
  );
});
