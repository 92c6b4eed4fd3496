import { describe, expect, test } from '@jest/globals';
import type { BegunClaim, Claims, ClaimOutcome } from '../../src/claims/claim.js';
import { defaultPolicy, type Policy } from '../../src/engine/policy.js';
import { decisionOf, type Verdict } from '../../src/engine/verdict.js';
import { createClaimingJudge, type ClaimingParts } from '../../src/guard/claiming.js';
import { catalogue } from '../../src/rules/index.js';
import { creation, run, start, strategy, update, type ChangeDraft } from '../support/builders.js';
import { nothingFound, RecordingLog } from '../support/guard.js';
import { changeIn, objectIn, scopes, type Scope } from '../support/scopes.js';

const release = run('release');
const refusal = { severity: 'deny', outcome: 'violated', path: [], message: 'm', fix: 'f', retry: false } as const;

interface Case {
  readonly outcome?: ClaimOutcome;
  readonly verdict?: Verdict;
  readonly policy?: Partial<Policy>;
  readonly whenUnavailable?: 'retry' | 'admit';
  /** In place of an outcome. */
  readonly claim?: (signal: AbortSignal) => ReturnType<BegunClaim>;
  /** Until the answer must be out. */
  readonly milliseconds?: number;
  readonly exempt?: ReadonlySet<string>;
}

/** The verdict of a judge whose claims all end alike, how many there were, and how they were counted. */
async function judged(scope: Scope, draft: ChangeDraft, given: Case = {}) {
  const { outcome = { is: 'claimed', how: 'take' }, verdict = nothingFound, whenUnavailable = 'retry' } = given;
  let asked = 0;
  const counted: string[] = [];
  const claims: Pick<Claims, 'begin'> = {
    begin: (_start, signal) => () => {
      asked += 1;
      return given.claim?.(signal) ?? Promise.resolve(outcome);
    },
  };
  const log = new RecordingLog();
  const parts: ClaimingParts = {
    judge: () => verdict,
    claims: claims as Claims,
    policy: () => ({ ...defaultPolicy, ...given.policy }),
    whenUnavailable: () => whenUnavailable,
    elapsed: () => 0,
    log,
    onClaim: (is) => counted.push(is),
  };
  const { milliseconds: deadline = 1000, exempt = new Set() } = given;
  const result = await createClaimingJudge(parts)(changeIn(scope, draft), { deadline, exempt });
  return { verdict: result, decision: decisionOf(result), asked, counted, log };
}

describe.each(scopes)('claims are the last thing before an admission, $name', (scope) => {
  const { plural, flag } = scope;
  const stored = (more: Parameters<typeof run>[1] = {}) => objectIn(scope, run('earlier', more));

  test.each<[string, ChangeDraft]>([
    ['a create in state Run', creation(release)],
    ['a start', start(release)],
    ['a resume', update(run('release', { spec: { state: 'Stop' } }), release)],
  ])('%s claims, and the audit log says so', async (_name, draft) => {
    const { verdict, asked } = await judged(scope, draft);
    expect({ asked, audit: verdict.audit }).toEqual({ asked: 1, audit: { claim: 'taken' } });
  });

  test.each<[string, ChangeDraft, Case]>([
    ['a create in state Initialize', creation(run('release', { spec: { state: 'Initialize' } })), {}],
    ['a create in state Stop', creation(run('release', { spec: { state: 'Stop' } })), {}],
    ['a stop', update(release, run('release', { spec: { state: 'Stop' } })), {}],
    ['an update of an active run', update(release, release), {}],
    ['a dry run', creation(release, { dryRun: true }), {}],
    ['a write of the status', update(release, release, { subresource: 'status' }), {}],
    ['another kind', creation(strategy('rings')), {}],
    ['what a rule refuses', creation(release), { verdict: { ...nothingFound, findings: [{ rule: 'r', ...refusal }] } }],
    ['a start where any number may be active', creation(release), { policy: { concurrency: 'off' } }],
    ['a start where the rule is off', creation(release), { policy: { rules: { 'run-placement-free': 'off' } } }],
    ['a start where the rule warns', creation(release), { policy: { rules: { 'run-placement-free': 'warn' } } }],
  ])('%s claims nothing', async (_name, draft, given) => {
    const { verdict, asked } = await judged(scope, draft, given);
    expect({ asked, verdict }).toEqual({ asked: 0, verdict: given.verdict ?? nothingFound });
  });

  test('an active holder refuses in the words of the rule', async () => {
    const by = stored({ status: { resourceSnapshotIndexUsed: '4', conditions: [] } });
    const { verdict, decision } = await judged(scope, creation(release), { outcome: { is: 'held', by } });
    expect(decision).toBe('refuse');
    expect(verdict.findings).toMatchObject([
      {
        rule: 'run-placement-free',
        severity: 'deny',
        outcome: 'violated',
        path: ['spec', 'placementName'],
        message:
          'placement "shop" is in use by run "earlier", which is not initialized yet; it rolls out resource snapshot "4", this run the latest resources',
        fix: expect.stringContaining(`kubectl delete ${plural('UpdateRun')} earlier${flag}`),
        retry: false,
      },
    ]);
  });

  test('who may bypass the rule starts beside an active holder, without a claim', async () => {
    const by = stored({ status: { conditions: [] } });
    const given = { outcome: { is: 'held', by }, exempt: new Set(['run-placement-free']) } as const;
    const { verdict, decision } = await judged(scope, creation(release), given);
    expect(decision).toBe('admit');
    expect(verdict.findings).toMatchObject([{ rule: 'run-placement-free', severity: 'warn' }]);
    expect(verdict.audit).toEqual({ claim: 'none' });
    const other = await judged(scope, creation(release), { ...given, exempt: new Set(['run-finished']) });
    expect(other.decision).toBe('refuse');
  });

  test('a holder that is on its way asks to come back, and says when', async () => {
    const claim = { uid: 'u', name: 'earlier', rollout: { stagedRolloutStrategyName: 'rings' } };
    const texts = async (name: string, isIdle: boolean) => {
      const holder = { claim: { ...claim, name }, run: isIdle ? 'idle' : 'absent', wasStored: isIdle } as const;
      const outcome = { is: 'undecided', holder, seconds: 8, freeIn: 41 } as const;
      const { verdict, decision } = await judged(scope, creation(release), { outcome });
      expect({ decision, seconds: verdict.retrySeconds }).toEqual({ decision: 'retry', seconds: 8 });
      return verdict.findings.map(({ message, fix }) => [message, ...fix.split('\n')]);
    };
    const wait = 'Wait: most clients send this again by themselves. Else apply this run again in 41 seconds.';
    expect(await texts('earlier', false)).toEqual([
      [
        'placement "shop" is taken for run "earlier", which was let through a moment ago and is being stored; it is free in 41 seconds if nothing comes of that',
        wait,
        `kubectl get ${plural('UpdateRun')} earlier${flag}`,
      ],
    ]);
    expect((await texts('earlier', true)).flat()[0]).toContain(
      'run "earlier", which was started or stopped a moment ago; it is free in 41 seconds',
    );
    expect((await texts('release', false)).flat()[0]).toContain(
      'is taken for an earlier attempt to create this run, which was let through a moment ago and is being stored; it is free',
    );
    expect(await texts('', false)).toEqual([[expect.stringContaining('is taken for another run, which'), wait]]);
  });

  test('a name that is taken is told, for good or until the other is gone', async () => {
    const by = stored();
    const gone = stored({ metadata: { deletionTimestamp: '2026-11-16T08:00:00Z' } });
    const exists = await judged(scope, creation(run('earlier')), { outcome: { is: 'name taken', by } });
    expect(exists.decision).toBe('refuse');
    expect(exists.verdict.findings).toMatchObject([
      { path: ['metadata', 'name'], message: 'a run of the name "earlier" exists already; it is not initialized yet' },
    ]);
    const deleted = await judged(scope, creation(run('earlier')), { outcome: { is: 'name taken', by: gone } });
    expect(deleted.decision).toBe('retry');
    expect(deleted.verdict.findings).toMatchObject([
      {
        message: 'another run of the name "earlier" is still being deleted',
        fix: `Wait until it is gone, then apply this run again.\nkubectl wait ${plural('UpdateRun')} earlier${flag} --for=delete --timeout=1m`,
      },
    ]);
  });

  test('without an answer of the API server nobody is let in, unless the settings say so', async () => {
    const outcome = { is: 'unavailable', because: 'the API server answered 403' } as const;
    const later = await judged(scope, creation(release), { outcome });
    expect(later.decision).toBe('retry');
    expect(later.verdict.findings).toMatchObject([
      {
        severity: 'deny',
        outcome: 'undetermined',
        message: 'placement "shop" could not be reserved for this run: the API server answered 403',
      },
    ]);
    expect(later.log.lines).toMatchObject([{ level: 'error', message: 'a placement could not be claimed' }]);
    const preview = 'the plan';
    const verdict = { ...nothingFound, preview };
    const now = await judged(scope, creation(release), { outcome, verdict, whenUnavailable: 'admit' });
    expect(now).toMatchObject({ decision: 'admit', verdict: { preview, audit: { claim: 'none' } } });
    expect(now.verdict.findings).toMatchObject([{ severity: 'warn', outcome: 'undetermined' }]);
  });

  test('a crowd is no reason to let anyone in, and no error', async () => {
    const outcome = { is: 'crowded' } as const;
    const { verdict, decision, log } = await judged(scope, creation(release), { outcome, whenUnavailable: 'admit' });
    expect({ decision, audit: verdict.audit, log: log.lines }).toEqual({
      decision: 'retry',
      audit: { claim: 'refused' },
      log: [],
    });
    expect(verdict.findings).toMatchObject([
      {
        outcome: 'violated',
        message: 'placement "shop" could not be reserved for this run: too many others ask for it at this moment',
      },
    ]);
  });

  test('every outcome is counted', async () => {
    expect((await judged(scope, creation(release))).counted).toEqual(['claimed']);
    expect((await judged(scope, creation(release), { outcome: { is: 'crowded' } })).counted).toEqual(['crowded']);
  });

  test('a claim that does not come to an end is given up in time for an answer', async () => {
    let signal: AbortSignal | undefined;
    const hanging = (limit: AbortSignal) =>
      new Promise<ClaimOutcome>((resolve) => {
        signal = limit;
        limit.addEventListener('abort', () => {
          resolve({ is: 'unavailable', because: 'the time is over' });
        });
      });
    const { decision } = await judged(scope, creation(release), { claim: hanging, milliseconds: 150 });
    expect(decision).toBe('retry');
    expect(signal?.aborted).toBe(true);
  });
});

describe('claims are wanted', () => {
  const [cluster, teamA] = scopes as [Scope, Scope];
  const off = { rules: { 'run-placement-free': 'off' } } as const;
  const deny = { rules: { 'run-placement-free': 'deny' } } as const;

  test.each<[string, Scope, Partial<Policy>, number]>([
    ['not in a namespace where the rule is off', teamA, { namespaces: { 'team-a': off } }, 0],
    [
      'in a namespace where the rule denies, though it is off elsewhere',
      teamA,
      { ...off, namespaces: { 'team-a': deny } },
      1,
    ],
    ['where another namespace is without', teamA, { namespaces: { 'team-b': off } }, 1],
    ['without a namespace, whatever holds in one', cluster, { namespaces: { 'team-a': off } }, 1],
  ])('%s', async (_name, scope, policy, expected) => {
    expect((await judged(scope, creation(release), { policy })).asked).toBe(expected);
  });
});

test('the refusals of claims belong to a rule of the catalogue', () => {
  expect(catalogue.map(({ id }) => id)).toContain('run-placement-free');
});
