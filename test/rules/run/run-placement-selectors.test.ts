import rule from '../../../src/rules/run/run-placement-selectors.js';
import { condition, creation, placement, run, start } from '../../support/builders.js';
import { cannotKnow, testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const reported =
  (status: string, reason: string, more: { message?: string; generation?: number } = {}) =>
  ({ kind }: Scope) => [
    placement('shop', {
      metadata: { generation: more.generation ?? 1 },
      status: { conditions: [condition(`${kind('Placement')}Scheduled`, status, reason, more.message)] },
    }),
  ];
const bad = reported('False', 'InvalidResourceSelectors', { message: 'cannot select\n a Pod' });

const cannotFollow =
  (reason: string, severity: 'deny' | 'warn' = 'deny') =>
  ({ plural, flag }: Scope): readonly Expected[] => [
    {
      path: 'spec.placementName',
      severity,
      message: `placement "shop" has resource selectors that KubeFleet cannot follow${reason}`,
      fix: [
        'Mend spec.resourceSelectors of the placement, then apply the run again.',
        `kubectl edit ${plural('Placement')} shop${flag}`,
      ].join('\n'),
    },
  ];

testRule(rule, {
  accepts: {
    'a placement that says nothing': { change: creation(release), fleet: [placement()] },
    'a placement that is scheduled': {
      change: creation(release),
      fleet: reported('True', 'SchedulingPolicyFulfilled'),
    },
    'a policy that is not fulfilled, which another rule tells': {
      change: creation(release),
      fleet: reported('False', 'SchedulingPolicyUnfulfilled'),
    },
    'bad selectors that have been edited since': {
      change: creation(release),
      fleet: reported('False', 'InvalidResourceSelectors', { generation: 2 }),
    },
    'bad selectors under a run of an index, which takes no new snapshot': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '0' } })),
      fleet: bad,
    },
    'the start of a run, which has its snapshot': { change: start(release), fleet: bad },
    'a placement that does not exist, which another rule tells': { change: creation(release) },
  },
  rejects: {
    'selectors that KubeFleet calls invalid': {
      change: creation(release),
      fleet: bad,
      findings: cannotFollow(': cannot select a Pod'),
    },
    'selectors of which nobody says what is wrong': {
      change: creation(release),
      fleet: reported('False', 'InvalidResourceSelectors'),
      findings: cannotFollow(''),
    },
    'on a dry run only softly': {
      change: creation(release, { dryRun: true }),
      fleet: bad,
      findings: cannotFollow(': cannot select a Pod', 'warn'),
    },
    'a placement that cannot be known': {
      change: creation(release),
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `${kind('Placement')} "shop"`),
    },
  },
});
