import rule from '../../../src/rules/run/run-placement-selectors.js';
import { condition, creation, placement, run, lateStart } from '../../support/builders.js';
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

const fix = ({ plural, flag }: Scope): string =>
  [
    'Fix spec.resourceSelectors of the placement, then try again.',
    `kubectl edit ${plural('Placement')} shop${flag}`,
  ].join('\n');

/** What KubeFleet said may be half an hour old. */
const couldNotFollow =
  (reason: string) =>
  (scope: Scope): readonly Expected[] => [
    {
      path: 'spec.placementName',
      severity: 'warn',
      message: `KubeFleet could not follow the resource selectors of placement "shop" when it last looked; this run fails if it still cannot${reason}`,
      fix: fix(scope),
    },
  ];

const selecting = (...resourceSelectors: readonly object[]) => placement('shop', { spec: { resourceSelectors } });
const namespace = (name: string, more: object = {}) => ({ group: '', version: 'v1', kind: 'Namespace', name, ...more });
const configMap = { group: '', version: 'v1', kind: 'ConfigMap', name: 'settings' };

/** Namespaces lie in no namespace; in cluster scope some of them are out of reach. */
const neverFollows =
  (severity: 'deny' | 'warn' = 'deny') =>
  (scope: Scope): readonly Expected[] => [
    {
      path: 'spec.placementName',
      severity,
      message: `placement "shop" has a resource selector that KubeFleet cannot follow: spec.resourceSelectors[1] selects ${
        scope.namespace === undefined
          ? '"kube-system", a namespace that is never propagated'
          : 'a Namespace, which does not lie in a namespace'
      }`,
      fix: fix(scope),
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
    'selectors of what each scope may select': {
      change: creation(release),
      fleet: ({ namespace: within }) => [selecting(within === undefined ? namespace('shop') : configMap)],
    },
    'a reserved namespace without what is in it, of which only KubeFleet knows': {
      change: creation(release),
      fleet: ({ namespace: within }) => [
        selecting(within === undefined ? namespace('kube-system', { selectionScope: 'NamespaceOnly' }) : configMap),
      ],
    },
    'a kind of that name in another group': {
      change: creation(release),
      fleet: [selecting({ group: 'example.com', version: 'v1', kind: 'Namespace', name: 'kube-system' })],
    },
    'a selector that cannot be followed, under a run of an index': {
      change: creation(run('release', { spec: { resourceSnapshotIndex: '0' } })),
      fleet: [selecting(configMap, namespace('kube-system'))],
    },
    'bad selectors before v0.3.0, where a run takes the snapshot there is': {
      change: creation(release),
      fleet: bad,
      policy: { kubefleet: { version: 'v0.2.2' } },
    },
    'the start of a run, which has its snapshot': { change: lateStart(release), fleet: bad },
    'a placement that does not exist, which another rule tells': { change: creation(release) },
  },
  rejects: {
    'selectors that KubeFleet has called invalid, softly': {
      change: creation(release),
      fleet: bad,
      findings: couldNotFollow(': "cannot select a Pod"'),
    },
    'selectors of which nobody says what is wrong': {
      change: creation(release),
      fleet: reported('False', 'InvalidResourceSelectors'),
      findings: couldNotFollow(''),
    },
    'a selector that KubeFleet can never follow': {
      change: creation(release),
      fleet: [selecting(configMap, namespace('kube-system'))],
      findings: neverFollows(),
    },
    'such a selector once, where KubeFleet has said so as well': {
      change: creation(release),
      fleet: ({ kind }) => [
        placement('shop', {
          spec: { resourceSelectors: [configMap, namespace('kube-system')] },
          status: { conditions: [condition(`${kind('Placement')}Scheduled`, 'False', 'InvalidResourceSelectors')] },
        }),
      ],
      findings: neverFollows(),
    },
    'such selectors from v0.3.0 on': {
      change: creation(release),
      fleet: bad,
      policy: { kubefleet: { version: 'v0.3.0' } },
      findings: couldNotFollow(': "cannot select a Pod"'),
    },
    'on a dry run only softly': {
      change: creation(release, { dryRun: true }),
      fleet: [selecting(configMap, namespace('kube-system'))],
      findings: neverFollows('warn'),
    },
    'a placement that cannot be known': {
      change: creation(release),
      knowledge: 'partial',
      findings: cannotKnow(({ kind }) => `${kind('Placement')} "shop"`),
    },
  },
});
