import { beforeAll, describe, expect, test } from '@jest/globals';
import { catalogue } from '../../../src/rules/index.js';
import type { Hub } from '../hub.js';
import { pathOf, type Scope } from '../paths.js';
import { pooled } from '../pooled.js';
import { useGuardedHub } from '../use-guarded-hub.js';
import { joinMembers, stage, strategy } from '../world.js';
import { approvalCases } from './approval-cases.js';
import { send, type FixCase, type Site } from './case.js';
import { refusalOf } from './refusal.js';
import { runCases } from './run-cases.js';
import { strategyCases } from './strategy-cases.js';

const cases = [...runCases, ...strategyCases, ...approvalCases];

/** Strategies that are older than the guard, with faults that it would not let in. */
async function oldStrategies(hub: Hub): Promise<void> {
  for (const scope of [undefined, 'team-a']) {
    const old = [
      strategy(scope, 'old-no-wait', [
        stage('canary', { afterStageTasks: [{ type: 'TimedWait', waitTime: '0s' }] }),
        stage('production'),
      ]),
      strategy(scope, 'old-overlap', [stage('canary'), stage('all', { labelSelector: {} })]),
    ];
    for (const object of old) await hub.api('admin').create(pathOf('UpdateStrategy', scope), object);
  }
}

const it = useGuardedHub({ before: oldStrategies, config: { claims: { settleSeconds: 10 } } });
beforeAll(() => joinMembers(it().hub), 30_000);

test('every rule that refuses has its fix executed here', () => {
  const refusing = catalogue.filter(({ severity }) => severity === 'deny').map(({ id }) => id);
  const executed = new Set(cases.map(({ rule }) => rule));
  expect(refusing.filter((id) => !executed.has(id))).toEqual([]);
});

const title = ({ rule, when }: FixCase): string => (when === undefined ? rule : `${rule}, where ${when}`);
const rows = cases.flatMap((one, index) =>
  (one.scopes ?? [undefined, 'team-a']).map((scope): [string, FixCase, Scope, string] => [
    `${title(one)} (${scope === undefined ? 'cluster scope' : 'namespace'})`,
    one,
    scope,
    `fix-${index}-${scope ?? 'hub'}`,
  ]),
);

async function tryFix(one: FixCase, site: Site): Promise<void> {
  await one.prepare?.(site);
  const sent = one.write(site);
  const refused = await send(site, sent);
  const refusal = refusalOf(one.rule, refused.stderr);
  if (refused.code === 0 || refusal === undefined) throw new Error(`not refused by ${one.rule}: ${refused.stderr}`);
  const next = (await one.follow(refusal, site, sent)) ?? sent;
  const admitted = await send(site, next);
  if (admitted.code !== 0) throw new Error(`refused after its fix: ${refused.stderr}\nnow: ${admitted.stderr}`);
}

describe('the fix of', () => {
  // Most of the time goes into waiting, for the hub agent and for kubectl to send again, so several are on their way.
  const atATime = 6;
  let outcomes: readonly Promise<void>[] = [];
  beforeAll(() => {
    const jobs = rows.map(
      ([, one, scope, name]) =>
        () =>
          tryFix(one, { ...it(), scope, name }),
    );
    outcomes = pooled(jobs, atATime);
  });

  test.each(rows.map(([name], index): [string, number] => [name, index]))(
    '%s',
    async (_name, index) => {
      await outcomes[index];
    },
    180_000,
  );
});
