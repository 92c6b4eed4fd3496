import rule from '../../../src/rules/run/run-placement-external.js';
import { creation, placement, run, start, update } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const rolling = placement('shop', { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } });

const notExternal =
  (found: string, severity: 'deny' | 'warn' = 'deny') =>
  ({ kind, plural, flag }: Scope): readonly Expected[] => [
    {
      path: 'spec.placementName',
      severity,
      message: `${kind('Placement')} "shop" has ${found}, but staged runs need External`,
      fix: [
        'Hand the placement over to staged runs, then try again. This cannot be undone.',
        `kubectl patch ${plural('Placement')} shop${flag} --type=merge -p '{"spec":{"strategy":{"type":"External","rollingUpdate":null}}}'`,
      ].join('\n'),
    },
  ];

const noType = 'no spec.strategy.type, which means RollingUpdate';

testRule(rule, {
  accepts: {
    'a run of an External placement': { change: creation(release), fleet: [placement()] },
    'the start of a run of an External placement': { change: start(release), fleet: [placement()] },
    'a placement that does not exist, which another rule tells': { change: creation(release) },
    'a run without a placement, which another rule tells': {
      change: creation(run('release', { spec: { placementName: '' } })),
      knowledge: 'partial',
    },
    'the stop of a run whose placement rolls out by itself': {
      change: update(release, run('release', { spec: { state: 'Stop' } })),
      fleet: [rolling],
    },
  },
  rejects: {
    'a placement that says RollingUpdate': {
      change: creation(release),
      fleet: [rolling],
      findings: notExternal('spec.strategy.type RollingUpdate'),
    },
    'a placement without a strategy': {
      change: creation(release),
      fleet: [placement('shop', { spec: { strategy: undefined } })],
      findings: notExternal(noType),
    },
    'a placement whose strategy has no type': {
      change: creation(release),
      fleet: [placement('shop', { spec: { strategy: { applyStrategy: { type: 'ServerSideApply' } } } })],
      findings: notExternal(noType),
    },
    'a placement whose type is empty': {
      change: creation(release),
      fleet: [placement('shop', { spec: { strategy: { type: '' } } })],
      findings: notExternal(noType),
    },
    'a type in another spelling': {
      change: creation(release),
      fleet: [placement('shop', { spec: { strategy: { type: 'external' } } })],
      findings: notExternal('spec.strategy.type external'),
    },
    'the start of a run whose placement has turned back': {
      change: start(release),
      fleet: [rolling],
      findings: notExternal('spec.strategy.type RollingUpdate'),
    },
    'on a dry run only softly': {
      change: creation(release, { dryRun: true }),
      fleet: [rolling],
      findings: notExternal('spec.strategy.type RollingUpdate', 'warn'),
    },
  },
});
