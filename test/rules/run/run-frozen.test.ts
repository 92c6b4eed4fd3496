import { describe, expect, test } from '@jest/globals';
import type { Freeze } from '../../../src/engine/freeze.js';
import { evaluate } from '../../../src/engine/evaluate.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import rule from '../../../src/rules/run/run-frozen.js';
import { condition, creation, deletion, placement, run, start, update, type Draft } from '../../support/builders.js';
import { cannotKnow, testNow, testRule } from '../../support/rule-tester.js';
import { changeIn, fleetIn, scopes } from '../../support/scopes.js';

// Monday, 16 November 2026, 09:00 UTC.
const holds: Freeze = { name: 'sale', from: '2026-11-16T00:00', until: '2026-11-18T07:30', timeZone: 'Europe/Berlin' };
const over: Freeze = { ...holds, name: 'over', until: '2026-11-16T10:00' };
const ends = (seconds: number): Freeze => ({
  ...holds,
  timeZone: 'UTC',
  until: new Date(testNow + seconds * 1000).toISOString().slice(0, 19),
});
const starts = (spec: object = {}) => creation(run('release', { spec: { state: 'Run', ...spec } }));
const withFreeze = (...freeze: Freeze[]) => ({ policy: { freeze } });
const done = (index: string, more: object = {}): Draft =>
  run(`before-${index}`, {
    status: {
      resourceSnapshotIndexUsed: index,
      conditions: [condition('Initialized', 'True'), condition('Succeeded', 'True')],
    },
    metadata: { creationTimestamp: '2026-10-02T00:00:00Z', ...more },
  });
const shop = placement('shop', {
  metadata: { creationTimestamp: '2026-10-01T00:00:00Z', labels: { tier: 'prod', team: 'a' } },
});
const until = 'runs may start again from 2026-11-18T06:30:00Z on (2026-11-18T07:30 Europe/Berlin)';
const finding = { path: 'spec.state', message: `freeze "sale" holds: ${until}` };
const idle = run('release', { spec: { state: 'Initialize' } });

testRule(rule, {
  accepts: {
    'a start when nothing is frozen': { change: starts(), fleet: [shop] },
    'a start when a freeze is over': { change: starts(), fleet: [shop], ...withFreeze(over) },
    'a run that is created and not started': { change: creation(idle), fleet: [shop], ...withFreeze(holds) },
    'a snapshot that a finished run has rolled out': {
      change: starts({ resourceSnapshotIndex: '1' }),
      fleet: [shop, done('1')],
      ...withFreeze(holds),
    },
    'a run that goes on to roll back': {
      change: start(
        run('release', { status: { resourceSnapshotIndexUsed: '1', conditions: [condition('Initialized', 'True')] } }),
      ),
      fleet: [shop, done('1')],
      ...withFreeze(holds),
    },
    'a placement that lacks one of the labels': {
      change: starts(),
      fleet: [shop],
      ...withFreeze({ ...holds, placementLabels: { tier: 'prod', team: 'b' } }),
    },
    'a placement that does not exist, which another rule tells': {
      change: starts(),
      ...withFreeze({ ...holds, placementLabels: { tier: 'prod' } }),
    },
    'another namespace': { change: starts(), fleet: [shop], ...withFreeze({ ...holds, namespaces: ['elsewhere'] }) },
  },
  rejects: {
    'a run that is created to start': {
      change: starts(),
      fleet: [shop],
      ...withFreeze(over, holds),
      findings: [finding],
    },
    'a run that is started': { change: start(idle), fleet: [shop], ...withFreeze(holds), findings: [finding] },
    'a placement that has the labels, with the reason': {
      change: starts(),
      fleet: [shop],
      ...withFreeze({ ...holds, reason: 'everybody shops', placementLabels: { tier: 'prod' } }),
      findings: [{ ...finding, message: `freeze "sale" ("everybody shops") holds: ${until}` }],
    },
    'a snapshot that no run has finished': {
      change: starts({ resourceSnapshotIndex: '2' }),
      fleet: [
        shop,
        done('1'),
        run('half', { status: { resourceSnapshotIndexUsed: '2', conditions: [condition('Initialized', 'True')] } }),
      ],
      ...withFreeze(holds),
      findings: [finding],
    },
    'a snapshot of that number that a placement of this name had before': {
      change: starts({ resourceSnapshotIndex: '1' }),
      fleet: [shop, done('1', { creationTimestamp: '2026-09-30T00:00:00Z' })],
      ...withFreeze(holds),
      findings: [finding],
    },
    'what finished runs cannot vouch for, as the newest resources': {
      change: starts(),
      fleet: [shop, done('1')],
      ...withFreeze(holds),
      findings: [finding],
    },
    'the last seconds of a freeze, for now': {
      change: starts(),
      fleet: [shop],
      ...withFreeze(ends(30)),
      findings: [
        {
          path: 'spec.state',
          retry: true,
          message: 'freeze "sale" holds: runs may start again from 2026-11-16T09:00:30Z on',
        },
      ],
    },
    'the last minute, which is longer than clients wait': {
      change: starts(),
      fleet: [shop],
      ...withFreeze(ends(31)),
      findings: [
        { path: 'spec.state', message: 'freeze "sale" holds: runs may start again from 2026-11-16T09:00:31Z on' },
      ],
    },
    'the end of one freeze that another one follows': {
      change: starts(),
      fleet: [shop],
      ...withFreeze(ends(5), { ...holds, name: 'weekly', from: 'Sun 00:00', until: 'Tue 00:00', timeZone: 'UTC' }),
      findings: [
        {
          path: 'spec.state',
          message: 'freezes "sale" and "weekly" hold: runs may start again from 2026-11-17T00:00:00Z on',
        },
      ],
    },
    'freezes without an end': {
      change: starts(),
      fleet: [shop],
      ...withFreeze(
        { ...holds, from: 'Sun 00:00', until: 'Wed 00:00' },
        { ...holds, name: 'b', from: 'Wed 00:00', until: 'Sun 00:00' },
      ),
      findings: [{ path: 'spec.state', message: 'freeze "sale" holds: when runs may start again is not in sight' }],
    },
    'an unknown placement, where no freeze asks for its labels': {
      change: starts(),
      knowledge: 'partial',
      ...withFreeze(holds),
      findings: [finding],
    },
    'an unknown placement, which other runs may have rolled out before': {
      change: starts({ resourceSnapshotIndex: '1' }),
      knowledge: 'partial',
      ...withFreeze(holds),
      findings: cannotKnow((scope) => `${scope.kind('Placement')} "shop"`),
    },
    'an unknown placement': {
      change: starts(),
      knowledge: 'partial',
      ...withFreeze({ ...holds, placementLabels: { tier: 'prod' } }),
      findings: cannotKnow((scope) => `${scope.kind('Placement')} "shop"`),
    },
  },
});

describe.each(scopes)('while a freeze holds, $name', (scope) => {
  const world = {
    rules: [rule],
    fleet: fleetIn(scope, [shop]),
    policy: { ...defaultPolicy, freeze: [ends(7)] },
    now: testNow,
  };
  const running = run('release', { spec: { state: 'Run' } });

  test.each([
    ['stopped', update(running, run('release', { spec: { state: 'Stop' } }))],
    ['deleted', deletion(running)],
    [
      'written without a change of its state',
      update(running, run('release', { spec: { state: 'Run' }, metadata: { labels: { a: 'b' } } })),
    ],
  ])('a run may be %s', (_what, draft) => {
    expect(evaluate(changeIn(scope, draft), world).findings).toEqual([]);
  });

  test('the answer names the seconds that are left of it', () => {
    expect(evaluate(changeIn(scope, starts()), world).retrySeconds).toBe(7);
    const warned = { ...world, policy: { ...world.policy, rules: { [rule.id]: 'warn' } } } as const;
    expect(evaluate(changeIn(scope, starts()), warned)).not.toHaveProperty('retrySeconds');
  });

  test('a dry run is warned', () => {
    const [finding] = evaluate(changeIn(scope, { ...starts(), dryRun: true }), world).findings;
    expect(finding).toMatchObject({ severity: 'warn', retry: false });
  });

  test('one that is for some namespaces leaves cluster scope alone', () => {
    const policy = { ...defaultPolicy, freeze: [{ ...holds, namespaces: [scope.namespace ?? 'team-a'] }] };
    const { findings } = evaluate(changeIn(scope, starts()), { ...world, policy });
    expect(findings).toHaveLength(scope.namespace === undefined ? 0 : 1);
  });
});
