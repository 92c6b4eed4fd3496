import { describe, expect, test } from '@jest/globals';
import { evaluate, type World } from '../../src/engine/evaluate.js';
import { defaultPolicy, type Mode, type Policy, type WhenUndetermined } from '../../src/engine/policy.js';
import { defineRule, type Rule, type Violation } from '../../src/engine/rule.js';
import { decisionOf, findingJson, type Verdict } from '../../src/engine/verdict.js';
import { warningTexts } from '../../src/engine/message.js';
import type { Facts } from '../../src/fleet/facts.js';
import {
  condition,
  creation,
  deletion,
  placement,
  run,
  start,
  strategy,
  update,
  type ChangeDraft,
} from '../support/builders.js';
import { changeIn, fleetIn, scopes } from '../support/scopes.js';

const [inCluster, inTeamA] = scopes as [(typeof scopes)[0], (typeof scopes)[0]];

/** A rule on runs that says what it is told to say. */
function rule(id: string, says: readonly (Violation | string)[], more: Partial<Rule> = {}): Rule {
  return {
    id,
    title: id,
    severity: 'deny',
    appliesTo: [{ family: 'UpdateRun', operations: ['CREATE', 'UPDATE', 'DELETE'] }],
    reads: [],
    why: 'Because.',
    fix: `Repair ${id}.`,
    check: () => says.map((one) => (typeof one === 'string' ? { path: [], message: one } : one)),
    ...more,
  };
}

/** A rule that asks for facts first. */
function asking(id: string, ask: (facts: Facts) => unknown, more: Partial<Rule> = {}): Rule {
  return rule(id, [], {
    reads: ['Placement'],
    *check(_change, { facts }) {
      if (ask(facts) === undefined) yield { path: ['spec'], message: 'nothing there' };
    },
    ...more,
  });
}

const needsPlacement = (facts: Facts): unknown => facts.get('Placement', 'shop');

/** A rule that yields what it has and then breaks. */
function broken(id: string, more: Partial<Rule> = {}, first: readonly Violation[] = []): Rule {
  return rule(id, [], {
    *check() {
      yield* first;
      throw new Error(`bug in ${id}`);
    },
    ...more,
  });
}

const newRun = creation(run('release'));

function judge(rules: readonly Rule[], world: Partial<World> & { change?: ChangeDraft } = {}): Verdict {
  const { change = newRun, ...rest } = world;
  return evaluate(changeIn(inCluster, change), {
    rules,
    fleet: fleetIn(inCluster, []),
    policy: defaultPolicy,
    now: 0,
    ...rest,
  });
}

const nobodyKnows = fleetIn(inCluster, [], 'partial');
const said = (verdict: Verdict): string[] =>
  verdict.findings.map(({ severity, rule: id, message }) => `${severity} ${id}: ${message}`);
const policyWith = (more: Partial<Policy>): Policy => ({ ...defaultPolicy, ...more });

describe('findings', () => {
  test('of all rules come in one answer, with what the rule says and what the engine adds', () => {
    const verdict = judge([
      rule('first', [{ path: ['spec', 'stages', 1], message: 'is wrong', fix: 'Turn it round.' }]),
      rule('second', ['is bad'], { severity: 'warn' }),
      rule('third', []),
    ]);
    expect(verdict.subject).toEqual({ kind: 'ClusterStagedUpdateRun', namespace: undefined, name: 'release' });
    expect(verdict.findings.map(findingJson)).toEqual([
      {
        rule: 'first',
        severity: 'deny',
        outcome: 'violated',
        path: 'spec.stages[1]',
        message: 'is wrong',
        fix: 'Turn it round.',
        retry: false,
      },
      {
        rule: 'second',
        severity: 'warn',
        outcome: 'violated',
        path: '',
        message: 'is bad',
        fix: 'Repair second.',
        retry: false,
      },
    ]);
    expect([verdict.failures, verdict.undetermined]).toEqual([[], []]);
  });

  test('name the twin of the scope', () => {
    const { subject } = evaluate(changeIn(inTeamA, newRun), {
      rules: [],
      fleet: fleetIn(inTeamA, []),
      policy: defaultPolicy,
      now: 0,
    });
    expect(subject).toEqual({ kind: 'StagedUpdateRun', namespace: 'team-a', name: 'release' });
  });

  test('come with refusals first, then by catalogue, by path as people count, and by message', () => {
    const at = (index: number, message = 'x'): Violation => ({ path: ['spec', 'stages', index], message });
    const verdict = judge([
      rule('zeta', [at(10), at(2), { path: ['spec'], message: 'x' }, at(2, 'b'), at(2, 'a')]),
      rule('soft', ['x'], { severity: 'warn' }),
      rule('alpha', [{ path: [], message: 'x', atMost: 'warn' }, 'y']),
    ]);
    expect(
      verdict.findings
        .map(findingJson)
        .map(({ severity, rule: id, path, message }) => [severity, id, path, message].join(' ')),
    ).toEqual([
      'deny zeta spec x',
      'deny zeta spec.stages[2] a',
      'deny zeta spec.stages[2] b',
      'deny zeta spec.stages[2] x',
      'deny zeta spec.stages[10] x',
      'deny alpha  y',
      'warn soft  x',
      'warn alpha  x',
    ]);
  });

  test('say the same thing once', () => {
    const verdict = judge([rule('a', ['x', 'x', 'y']), rule('b', ['x'])]);
    expect(said(verdict)).toEqual(['deny a: x', 'deny a: y', 'deny b: x']);
  });

  test('are none where no rule applies', () => {
    const onStrategies = rule('a', ['x'], { appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE'] }] });
    const onUpdates = rule('b', ['x'], { appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'] }] });
    const onStatus = rule('c', ['x'], {
      appliesTo: [{ family: 'UpdateRun', operations: ['CREATE', 'UPDATE'], subresource: 'status' }],
    });
    expect(said(judge([onStrategies, onUpdates, onStatus]))).toEqual([]);
    const statusWrite = update(run('a'), run('a'), { subresource: 'status' });
    expect(said(judge([onStrategies, onUpdates, onStatus], { change: statusWrite }))).toEqual(['deny c: x']);
  });

  test('of a rule narrowed to a moment come at that moment alone', () => {
    const onStart = rule('a', ['x'], {
      appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run' }],
    });
    const onStop = rule('b', ['x'], {
      appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Stop' }],
    });
    const stopped = run('release', { spec: { state: 'Stop' } });
    expect(said(judge([onStart, onStop], { change: start(run('release')) }))).toEqual(['deny a: x']);
    expect(said(judge([onStart, onStop], { change: update(run('release'), stopped) }))).toEqual(['deny b: x']);
    expect(said(judge([onStart, onStop], { change: update(run('release'), run('release')) }))).toEqual([]);
    expect(said(judge([onStart, onStop]))).toEqual([]);
  });

  test('of a rule about runs that start before they are initialized come for those alone', () => {
    const onPending = rule('a', ['x'], {
      appliesTo: [
        { family: 'UpdateRun', operations: ['UPDATE'], only: 'state becomes Run before the run is initialized' },
      ],
    });
    const withStatus = (...conditions: object[]) => start(run('release', { status: { conditions } }));
    expect(said(judge([onPending], { change: start(run('release')) }))).toEqual(['deny a: x']);
    expect(said(judge([onPending], { change: withStatus(condition('Initialized', 'Unknown')) }))).toEqual([
      'deny a: x',
    ]);
    expect(said(judge([onPending], { change: withStatus(condition('Initialized', 'True')) }))).toEqual([]);
    expect(said(judge([onPending], { change: withStatus(condition('Initialized', 'False')) }))).toEqual([]);
    expect(said(judge([onPending], { change: update(run('release'), run('release')) }))).toEqual([]);
    expect(said(judge([onPending]))).toEqual([]);
  });

  test('rest on the fleet as it would be after the change', () => {
    const seesItself = asking('a', (facts) => facts.get('UpdateRun', 'release'));
    expect(said(judge([seesItself]))).toEqual([]);
    expect(said(judge([seesItself], { change: deletion(run('release')) }))).toEqual(['deny a: nothing there']);
  });

  test('are softened one by one where the rule says so', () => {
    expect(said(judge([rule('a', [{ path: [], message: 'x', atMost: 'warn' }, 'y'])]))).toEqual([
      'deny a: y',
      'warn a: x',
    ]);
  });
});

test('a rule made by defineRule is frozen', () => {
  expect(Object.isFrozen(defineRule(rule('a', [])))).toBe(true);
});

describe('a rule that is only audited', () => {
  const policy = policyWith({ rules: { quiet: 'audit' } });

  test('refuses nothing and warns of nothing, in one namespace alone where so wanted', () => {
    const verdict = judge([rule('quiet', ['x']), rule('soft', ['y'], { severity: 'warn' })], { policy });
    expect(said(verdict)).toEqual(['warn soft: y', 'audit quiet: x']);
    expect([decisionOf(verdict), warningTexts(verdict)]).toEqual(['admit', ['[soft] y']]);
    const world = { rules: [rule('quiet', ['x'])], fleet: fleetIn(inTeamA, []), now: 0 };
    const inOne = policyWith({ namespaces: { 'team-a': { rules: { quiet: 'audit' } } } });
    expect(said(evaluate(changeIn(inTeamA, newRun), { ...world, policy: inOne }))).toEqual(['audit quiet: x']);
    expect(said(judge([rule('quiet', ['x'])], { policy: inOne }))).toEqual(['deny quiet: x']);
  });

  test('is named where nothing but its mode keeps it from refusing', () => {
    const softened = policyWith({ rules: { quiet: 'audit', loud: 'warn' } });
    const soft = { path: [], message: 'x', atMost: 'warn' } as const;
    const rules = [
      rule('quiet', ['x']),
      rule('loud', ['x']),
      rule('hard', ['x']),
      rule('mild', ['x'], { severity: 'warn' }),
    ];
    expect(judge(rules, { policy: softened }).wouldRefuse).toEqual(['quiet', 'loud', 'mild']);
    expect(judge([rule('quiet', [soft])], { policy })).not.toHaveProperty('wouldRefuse');
    expect(judge([rule('hard', ['x'])], { exempt: new Set(['hard']) })).not.toHaveProperty('wouldRefuse');
    const dry = { change: { ...newRun, dryRun: true }, policy };
    expect(judge([rule('quiet', ['x'], { reads: ['Placement'] })], dry)).not.toHaveProperty('wouldRefuse');
    const old = { change: update(run('release'), run('release')), policy };
    expect(judge([rule('quiet', ['x'])], old)).not.toHaveProperty('wouldRefuse');
  });

  test('stays so where its fault would be a warning', () => {
    const soft = { path: [], message: 'x', atMost: 'warn' } as const;
    expect(said(judge([rule('quiet', [soft])], { policy }))).toEqual(['audit quiet: x']);
    expect(said(judge([rule('loud', [soft])], { policy }))).toEqual(['warn loud: x']);
  });

  test('says nothing where it cannot tell, and is counted', () => {
    const verdict = judge([asking('quiet', needsPlacement)], { policy, fleet: nobodyKnows });
    expect([verdict.findings, verdict.undetermined]).toEqual([[], ['quiet']]);
  });
});

describe('premises', () => {
  const after = { after: ['premise'] };

  test('silence what rests on them where they object', () => {
    expect(said(judge([rule('premise', ['x']), rule('echo', ['y'], after)]))).toEqual(['deny premise: x']);
    expect(said(judge([rule('premise', []), rule('echo', ['y'], after)]))).toEqual(['deny echo: y']);
  });

  test('silence it where they only warn', () => {
    const policy = policyWith({ rules: { premise: 'warn' } });
    expect(said(judge([rule('premise', ['x']), rule('echo', ['y'], after)], { policy }))).toEqual(['warn premise: x']);
  });

  test('leave it alone where they are only audited: what nobody hears must not let a write pass', () => {
    const policy = policyWith({ rules: { premise: 'audit' } });
    const softly = { path: [], message: 'x', atMost: 'audit' } as const;
    const echo = rule('echo', ['y'], after);
    expect(said(judge([rule('premise', ['x']), echo], { policy }))).toEqual(['deny echo: y', 'audit premise: x']);
    expect(said(judge([rule('premise', [softly]), echo]))).toEqual(['deny echo: y', 'audit premise: x']);
  });

  test('silence it where they say that they cannot tell', () => {
    const verdict = judge([asking('premise', needsPlacement), rule('echo', ['y'], after)], { fleet: nobodyKnows });
    expect(verdict.findings.map((finding) => finding.rule)).toEqual(['premise']);
  });

  test('leave it alone where they are off or do not apply', () => {
    const echo = rule('echo', ['y'], after);
    const elsewhere = { appliesTo: [{ family: 'Placement', operations: ['CREATE'] }] } as const;
    expect(said(judge([rule('premise', ['x']), echo], { policy: policyWith({ rules: { premise: 'off' } }) }))).toEqual([
      'deny echo: y',
    ]);
    expect(said(judge([rule('premise', ['x'], elsewhere), echo]))).toEqual(['deny echo: y']);
  });

  test('silence what rests on what they silence, even if that is off', () => {
    const rules = [rule('root', ['r']), rule('premise', ['x'], { after: ['root'] }), rule('echo', ['y'], after)];
    for (const policy of [defaultPolicy, policyWith({ rules: { premise: 'off' } })]) {
      expect(said(judge(rules, { policy }))).toEqual(['deny root: r']);
    }
  });

  test('that cannot tell and say nothing of it silence nobody', () => {
    const soft = { severity: 'warn' } as const;
    const echo = rule('echo', ['y'], after);
    expect(said(judge([asking('premise', needsPlacement, soft), echo], { fleet: nobodyKnows }))).toEqual([
      'deny echo: y',
    ]);
    expect(said(judge([broken('premise', soft), echo]))).toEqual(['deny echo: y']);
  });
});

describe('a rule that cannot tell', () => {
  const needy = asking('needy', needsPlacement);
  const when = (undetermined: WhenUndetermined): Policy =>
    policyWith({ undetermined: { default: 'retry', rules: { needy: undetermined } } });
  const unknown = 'could not be checked: cannot know ClusterResourcePlacement "shop"';

  test.each<[WhenUndetermined, string, boolean, string, string]>([
    ['retry', 'deny', true, 'retry', 'Send the same again in a few seconds.'],
    ['warn', 'warn', false, 'admit', 'Look at it yourself before you rely on it.'],
    ['note', 'audit', false, 'admit', 'Check it against the whole fleet.'],
  ])('set to %s', (undetermined, ...expected) => {
    const [severity, retry, decision, fix] = expected;
    const verdict = judge([needy], { fleet: nobodyKnows, policy: when(undetermined) });
    expect(verdict.findings.map(findingJson)).toEqual([
      { rule: 'needy', severity, outcome: 'undetermined', path: '', message: unknown, fix, retry },
    ]);
    expect(decisionOf(verdict)).toBe(decision);
    expect([verdict.undetermined, verdict.failures]).toEqual([['needy'], []]);
  });

  test('is violated or clean once it can be known', () => {
    expect(said(judge([needy]))).toEqual(['deny needy: nothing there']);
    expect(said(judge([needy], { fleet: fleetIn(inCluster, [placement('shop')], 'partial') }))).toEqual([]);
  });

  test('says nothing but counts if it only warns', () => {
    const verdict = judge([asking('needy', needsPlacement, { severity: 'warn' })], { fleet: nobodyKnows });
    expect([verdict.findings, verdict.undetermined]).toEqual([[], ['needy']]);
  });

  test('keeps what it found before', () => {
    const half = asking('half', needsPlacement, {
      *check(_change, { facts }) {
        yield { path: [], message: 'found' };
        needsPlacement(facts);
      },
    });
    expect(said(judge([half], { fleet: nobodyKnows }))).toEqual([`deny half: ${unknown}`, 'deny half: found']);
  });

  test('stands beside a refusal, which then is no retry', () => {
    const verdict = judge([needy, rule('sure', ['x'])], { fleet: nobodyKnows });
    expect(said(verdict)).toEqual([`deny needy: ${unknown}`, 'deny sure: x']);
    expect(decisionOf(verdict)).toBe('refuse');
  });

  test('does not refuse an update that leaves the spec alone', () => {
    const relabelled = update(run('release'), run('release', { metadata: { labels: { team: 'a' } } }));
    const verdict = judge([needy], { fleet: nobodyKnows, change: relabelled });
    expect([decisionOf(verdict), said(verdict)]).toEqual(['admit', [`warn needy: ${unknown}`]]);
  });
});

describe('a dry run', () => {
  const dryRun = creation(run('release'), { dryRun: true });

  test('refuses for a fault of the object itself', () => {
    expect(decisionOf(judge([rule('own', ['x'])], { change: dryRun }))).toBe('refuse');
  });

  test('only warns of what rests on other objects', () => {
    const verdict = judge([asking('needy', needsPlacement)], { change: dryRun });
    expect([decisionOf(verdict), said(verdict)]).toEqual(['admit', ['warn needy: nothing there']]);
  });

  test('is never asked to come again', () => {
    const settling = rule('settling', [{ path: [], message: 'x', settling: 'shop' }]);
    const verdict = judge([asking('needy', needsPlacement), settling, broken('broken')], {
      change: dryRun,
      fleet: nobodyKnows,
      settlingFor: () => 1,
    });
    expect(verdict.findings.map(({ rule: id, severity, retry }) => [id, severity, retry])).toEqual([
      ['settling', 'deny', false],
      ['needy', 'warn', false],
    ]);
    const alone = judge([asking('needy', needsPlacement), broken('broken')], { change: dryRun, fleet: nobodyKnows });
    expect(alone.findings.map(({ rule: id, severity, retry }) => [id, severity, retry])).toEqual([
      ['needy', 'warn', false],
      ['broken', 'warn', false],
    ]);
  });
});

describe('a rule that throws', () => {
  test('does not stop the others, and is named with its error', () => {
    const verdict = judge([broken('broken'), rule('sure', ['x'])]);
    expect(said(verdict)).toEqual(['deny sure: x']);
    expect(verdict.failures).toEqual([{ rule: 'broken', error: new Error('bug in broken') }]);
    expect(verdict.undetermined).toEqual(['broken']);
  });

  test('is undetermined where nothing else refuses', () => {
    const verdict = judge([broken('broken'), rule('soft', ['x'], { severity: 'warn' })]);
    expect(said(verdict)).toEqual([
      'deny broken: could not be checked because of a bug in the guard itself',
      'warn soft: x',
    ]);
    expect(decisionOf(verdict)).toBe('retry');
    expect(verdict.findings[0]).toMatchObject({ outcome: 'undetermined', retry: true });
    expect(verdict.findings[0]?.fix).toMatch(/set this rule to warn/);
  });

  test('says nothing if it only warns', () => {
    const verdict = judge([broken('broken', { severity: 'warn' })]);
    expect(verdict.findings).toEqual([]);
    expect(verdict.failures.map((failure) => failure.rule)).toEqual(['broken']);
  });

  test('keeps what it found before', () => {
    expect(said(judge([broken('broken', {}, [{ path: [], message: 'found' }])]))).toEqual(['deny broken: found']);
  });

  test.each([undefined, null, 'text'])('even if what it throws is %p', (thrown) => {
    const odd = rule('odd', [], {
      check: () => {
        throw thrown as unknown as Error;
      },
    });
    const verdict = judge([odd]);
    expect(verdict.failures).toEqual([{ rule: 'odd', error: thrown }]);
    expect(decisionOf(verdict)).toBe('retry');
  });
});

describe('old sins', () => {
  const sinful = rule('sinful', ['x']);
  const touched = update(run('release'), run('release', { metadata: { finalizers: ['done'] } }));
  const edited = update(run('release'), run('release', { spec: { state: 'Stop' } }));

  test('only warn where an update leaves the spec alone', () => {
    expect(said(judge([sinful], { change: touched }))).toEqual(['warn sinful: x']);
  });

  test('refuse where the spec changes, or the object is new', () => {
    expect(said(judge([sinful], { change: edited }))).toEqual(['deny sinful: x']);
    expect(said(judge([sinful]))).toEqual(['deny sinful: x']);
  });

  test('do not count where the order of keys is all that differs', () => {
    const reordered = strategy('rings', { labelSelector: {}, name: 'a' });
    const onStrategies = rule('a', ['x'], { appliesTo: [{ family: 'UpdateStrategy', operations: ['UPDATE'] }] });
    const change = update(strategy('rings', { name: 'a', labelSelector: {} }), reordered);
    expect(said(judge([onStrategies], { change }))).toEqual(['warn a: x']);
  });

  test('are no excuse for a fault of the write', () => {
    expect(said(judge([rule('act', ['x'], { judges: 'write' })], { change: touched }))).toEqual(['deny act: x']);
  });

  test('are no excuse for a write to the status', () => {
    const onStatus = rule('a', ['x'], {
      appliesTo: [{ family: 'UpdateRun', operations: ['UPDATE'], subresource: 'status' }],
    });
    const change = update(run('release'), run('release', { status: { conditions: [] } }), { subresource: 'status' });
    expect(said(judge([onStatus], { change }))).toEqual(['deny a: x']);
  });

  test('do not soften a deletion', () => {
    expect(said(judge([sinful], { change: deletion(run('release')) }))).toEqual(['deny sinful: x']);
  });
});

describe('what is settling', () => {
  const settling = rule('settling', [{ path: [], message: 'x', settling: 'shop' }]);
  const after = (seconds: number): Verdict =>
    judge([settling], { settlingFor: (what) => (what === 'shop' ? seconds : Infinity) });

  test.each([
    [0, 'retry'],
    [120, 'retry'],
    [120.001, 'refuse'],
    [Infinity, 'refuse'],
  ])('%p s after it was first seen: %s', (seconds, decision) => {
    expect(decisionOf(after(seconds))).toBe(decision);
  });

  test('is fresh where nobody keeps count', () => {
    expect(decisionOf(judge([settling]))).toBe('retry');
  });

  test('is given as long as the settings say', () => {
    const policy = policyWith({ retry: { defaultSeconds: 3, maxAgeSeconds: 10 } });
    expect(decisionOf(judge([settling], { policy, settlingFor: () => 11 }))).toBe('refuse');
  });

  test('does not hide a fault that stays', () => {
    expect(decisionOf(judge([settling, rule('stays', ['x'])]))).toBe('refuse');
  });
});

describe('modes', () => {
  const strict = rule('strict', ['x']);
  const soft = rule('soft', ['x'], { severity: 'warn' });
  const inMode = (mode: Mode): Verdict =>
    judge([strict, soft], { policy: policyWith({ rules: { strict: mode, soft: mode } }) });

  test('deny refuses by a warn rule too', () => {
    expect(said(inMode('deny'))).toEqual(['deny strict: x', 'deny soft: x']);
  });

  test('deny leaves soft what a rule itself softens', () => {
    const softened = rule('a', [{ path: [], message: 'x', atMost: 'warn' }], { severity: 'warn' });
    expect(said(judge([softened], { policy: policyWith({ rules: { a: 'deny' } }) }))).toEqual(['warn a: x']);
  });

  test('warn refuses nothing', () => {
    expect(said(inMode('warn'))).toEqual(['warn strict: x', 'warn soft: x']);
  });

  test('off asks the rule nothing', () => {
    const verdict = judge([broken('strict')], { policy: policyWith({ rules: { strict: 'off' } }) });
    expect(verdict).toMatchObject({ findings: [], failures: [], undetermined: [] });
  });

  test('of a namespace hold there and nowhere else', () => {
    const policy = policyWith({ rules: { strict: 'warn' }, namespaces: { 'team-a': { rules: { strict: 'off' } } } });
    const world = { rules: [strict], policy, now: 0 };
    const inNamespace = evaluate(changeIn(inTeamA, newRun), { ...world, fleet: fleetIn(inTeamA, []) });
    expect([said(inNamespace), said(judge([strict], { policy }))]).toEqual([[], ['warn strict: x']]);
  });
});
