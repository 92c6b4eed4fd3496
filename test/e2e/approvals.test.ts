import { beforeAll, describe, expect, test } from '@jest/globals';
import { kindIn } from '../../src/fleet/kinds.js';
import type { Answer } from './harness/api.js';
import {
  approveDeadRun,
  approveEarly,
  deadRuns,
  earlyRun,
  storeDeadRun,
  storeEarlyRun,
} from './approvals/dead-runs.js';
import {
  approveAtTheWrongPlace,
  approveInTime,
  createBefore,
  forge,
  sayNo,
  takeBack,
  waitAtGate,
} from './approvals/guarded-gate.js';
import { hostileStatuses, judgeOf } from './approvals/hostile.js';
import { readRequest, restOf, storeRequest, storeRun } from './approvals/prepared.js';
import type { Sent } from './approvals/senders.js';
import { conditionBy, warningsFor, ways, type Way } from './approvals/ways.js';
import { eventually } from './harness/eventually.js';
import type { Hub } from './harness/hub.js';
import { pathOf, type Scope } from './harness/paths.js';
import { pooled } from './harness/pooled.js';
import { handleStageApprovalTask, type Approval, type Outcome } from './harness/stage-approval.js';
import { useGuardedHub } from './harness/use-guarded-hub.js';
import { bothScopes, joinMembers } from './harness/world.js';

/** Every scope, every version that is served there, and every way: twice, on a hub without a guard and then with it. */
interface Row {
  readonly scope: Scope;
  readonly version: string;
  readonly way: Way;
  readonly stage: string;
}

const served = bothScopes.flatMap(([where, scope]) =>
  kindIn('ApprovalRequest', scope).versions.map((version) => ({ where, scope, version })),
);
const rows = served.flatMap(({ scope, version }) =>
  ways.map((way, index): Row => ({ scope, version, way, stage: `stage${index}` })),
);

const phases = ['open', 'guarded'] as const;
type Phase = (typeof phases)[number];

const runOf = ({ version }: Pick<Row, 'version'>, phase: Phase): string => `${phase}-${version}`;
const nameOf = (row: Row, phase: Phase): string => `${runOf(row, phase)}-after-${row.stage}`;

interface Written {
  readonly sent: Sent;
  readonly before: Approval;
  readonly after: Approval;
}

/** Some at a time: the API server would put more of them in a queue. */
const atATime = 8;
const inPool = <T, U>(items: readonly T[], work: (item: T) => Promise<U>): readonly Promise<U>[] =>
  pooled(
    items.map((item) => () => work(item)),
    atATime,
  );

async function prepare(hub: Hub): Promise<void> {
  const gates = ways.map((_, index) => ({ stage: `stage${index}` }));
  const places = served.flatMap((place) => phases.map((phase) => ({ ...place, phase })));
  await Promise.all(
    inPool(places, ({ scope, version, phase }) => storeRun(hub, { scope, name: runOf({ version }, phase), gates })),
  );
  const requests = rows.flatMap((row) => phases.map((phase) => ({ row, phase })));
  await Promise.all(
    inPool(requests, ({ row, phase }) => {
      const { scope, stage, way } = row;
      const { before: conditions, isLeaving = false } = way;
      const target = { run: runOf(row, phase), stage };
      return storeRequest(hub, {
        scope,
        name: nameOf(row, phase),
        target,
        isLeaving,
        ...(conditions && { conditions }),
      });
    }),
  );
}

async function write(hub: Hub, row: Row, phase: Phase): Promise<Written> {
  const { scope, version } = row;
  const name = nameOf(row, phase);
  const before = await readRequest(hub, scope, name);
  const sent = await row.way.send({ hub, scope, name, version });
  return { sent, before, after: await readRequest(hub, scope, name) };
}

/** What the controller makes of the approval itself, whatever it may have noted before. */
function outcomeOf(request: Approval, row: Row, phase: Phase): Outcome {
  const conditions = (request.status?.conditions ?? []).filter(({ type }) => type !== 'ApprovalAccepted');
  return handleStageApprovalTask({ ...request, status: { conditions } }, { run: runOf(row, phase), stage: row.stage });
}

const dead = deadRuns.flatMap((run) => bothScopes.map(([where, scope]) => [where, scope, run] as const));
const hostileRuns = phases.map((phase) => `${phase}-hostile`);

/** As a dry run: what is asked and answered is the same, and every one of them meets the same object. */
function sendHostile(hub: Hub, scope: Scope, phase: Phase): readonly Promise<Answer>[] {
  const path = `${pathOf('ApprovalRequest', scope, `${phase}-hostile-after-canary/status`)}?dryRun=All`;
  return inPool(hostileStatuses, (status) => hub.api('alice').patch(path, 'merge', { status }));
}

let unguarded: readonly Written[] = [];
const hostile = new Map<string, readonly Answer[]>();

const it = useGuardedHub({
  heldBack: [
    ...served.flatMap((place) => phases.map((phase) => runOf(place, phase))),
    ...hostileRuns,
    ...deadRuns.map(({ run }) => run),
    earlyRun,
  ],
  config: { retry: { defaultSeconds: 1 } },
  async before(hub) {
    await prepare(hub);
    await joinMembers(hub);
    await Promise.all(inPool(dead, ([, scope, run]) => storeDeadRun(hub, scope, run)));
    for (const [, scope] of bothScopes) {
      await storeEarlyRun(hub, scope);
      for (const name of hostileRuns) {
        await storeRun(hub, { scope, name, gates: [{ stage: 'canary' }] });
        await storeRequest(hub, { scope, name: `${name}-after-canary`, target: { run: name, stage: 'canary' } });
      }
      hostile.set(`open ${scope ?? ''}`, await Promise.all(sendHostile(hub, scope, 'open')));
    }
    unguarded = await Promise.all(inPool(rows, (row) => write(hub, row, 'open')));
  },
});

// The two configurations are taken up one after the other, and useGuardedHub has waited for the other one.
beforeAll(async () => {
  const path = pathOf('ApprovalRequest', undefined, 'guarded-hostile-after-canary/status?dryRun=All');
  const bare = { status: { conditions: [{ type: 'Approved', status: 'True' }] } };
  await eventually('approvals are stamped', async () => {
    const { status } = await it().hub.api('alice').patch(path, 'merge', bare);
    return status === 200 || undefined;
  });
}, 40_000);

describe('an approval is one that the controller accepts', () => {
  let guarded: readonly Promise<Written>[] = [];
  beforeAll(() => {
    guarded = inPool(rows, (row) => write(it().hub, row, 'guarded'));
  });
  const named = rows.map((row, index): [string, string, string, number] => [
    row.way.how,
    row.version,
    row.scope === undefined ? 'cluster scope' : 'a namespace',
    index,
  ]);

  test.each(named)('by %s, through %s, in %s', async (_how, _version, _scope, index) => {
    const row = rows[index] as Row;
    const { sent, before, after } = (await guarded[index]) as Written;
    const { generation } = before.metadata;
    expect(sent).toEqual({ refusal: undefined, warnings: warningsFor(row.way, generation) });
    const approved = after.status?.conditions?.find(({ type }) => type === 'Approved');
    expect(approved).toEqual(conditionBy(row.way, generation));
    expect(outcomeOf(after, row, 'guarded')).toBe('accept');
    expect(restOf(after)).toEqual(restOf(before));
  });

  test.each(named)('and without a guard, by %s, through %s, in %s, is so only where the table says', (...name) => {
    const index = name[3];
    const row = rows[index] as Row;
    const { sent, after } = unguarded[index] as Written;
    expect(sent.warnings).toEqual([]);
    expect({ how: row.way.how, isStored: sent.refusal === undefined, outcome: outcomeOf(after, row, 'open') }).toEqual({
      how: row.way.how,
      isStored: row.way.unguarded !== 'refused',
      outcome: row.way.unguarded === 'right' ? 'accept' : 'wait',
    });
  });
});

describe.each(bothScopes)('a status of any shape %s', (_where, scope) => {
  test('is answered, and the API server has the last word', async () => {
    const { hub, guard } = it();
    const guarded = await Promise.all(sendHostile(hub, scope, 'guarded'));
    const open = hostile.get(`open ${scope ?? ''}`) ?? [];
    const judged = guarded.map((answer, index) => [
      judgeOf(open[index] as Answer, answer),
      JSON.stringify(hostileStatuses[index]).slice(0, 200),
    ]);
    const judges = ['the API server', '[approval-conditions]'];
    expect(judged.filter(([judge = '']) => !judges.includes(judge))).toEqual([]);
    expect(new Set(judged.map(([judge]) => judge))).toEqual(new Set(judges));
    expect(open.filter(({ status }) => status === 422).length).toBeGreaterThan(hostileStatuses.length / 2);
    expect(guard.log()).not.toMatch(/"a bug"|"a rule threw"|"answered without a verdict"/);
  });
});

describe('a gate opens only when someone has approved it', () => {
  let journeys: readonly Promise<void>[] = [];
  let refusals: readonly Promise<void>[] = [];
  let early: readonly Promise<void>[] = [];
  beforeAll(() => {
    // Most of the time of these goes into waiting.
    refusals = inPool(dead, ([, scope, run]) => approveDeadRun(it().hub, scope, run));
    early = inPool(bothScopes, ([, scope]) => approveEarly(it(), scope));
    journeys = inPool(bothScopes, async ([, scope]) => {
      const site = { ...it(), scope, name: 'release' };
      await waitAtGate(site);
      await forge(site);
      const command = await createBefore(site);
      await sayNo(site);
      await approveAtTheWrongPlace(site);
      await takeBack(site);
      await approveInTime(site, command);
    });
  });

  test.each(bothScopes.map(([where], index): [string, number] => [where, index]))(
    'journey: a run %s whose approvals are forged, made beforehand, denied, misplaced and taken back',
    async (_where, index) => {
      await journeys[index];
    },
    120_000,
  );

  test.each(bothScopes.map(([where], index): [string, number] => [where, index]))(
    'an approval that comes before the run has got to its gate waits for it, %s',
    async (_where, index) => {
      await early[index];
    },
    60_000,
  );

  test.each(dead.map(([where, , { message }], index): [string, string, number] => [where, message, index]))(
    '%s: %s',
    async (_where, _message, index) => {
      await refusals[index];
    },
    120_000,
  );
});

test('no expression has failed in all of this, and no question has gone without an answer', async () => {
  const { body } = await it().hub.api('admin').get('/metrics');
  const metrics = String(body['text']);
  expect(metrics).toMatch(/^apiserver_admission_webhook_request_total.* [1-9]/m);
  const failed =
    /^(?:apiserver_admission_match_condition_evaluation_errors_total|apiserver_admission_webhook_fail_open_count|apiserver_admission_webhook_rejection_count.*error_type="(?!no_error)).* [1-9]/gm;
  expect(metrics.match(failed)).toBeNull();
});
