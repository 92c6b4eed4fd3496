import rule from '../../../src/rules/run/run-namespace-on-members.js';
import { creation, placement, run, lateStart, type Draft } from '../../support/builders.js';
import { testRule, type Expected } from '../../support/rule-tester.js';
import type { Scope } from '../../support/scopes.js';

const release = run('release');
const namespace = { group: '', version: 'v1', kind: 'Namespace' };
/** A placement of cluster scope, whatever scope the rest is in. */
const clusterScoped = (...resourceSelectors: readonly object[]): Draft =>
  placement('everywhere', { metadata: { namespace: undefined }, spec: { resourceSelectors } });

const missing = ({ namespace: of }: Scope): readonly Expected[] =>
  of === undefined
    ? []
    : [
        {
          path: 'metadata.namespace',
          message: `no cluster-scoped placement selects namespace "${of}", so it may not exist on the member clusters`,
          fix: [
            'Place the namespace on the member clusters first, for instance with this.',
            'apiVersion: placement.kubernetes-fleet.io/v1beta1',
            'kind: ClusterResourcePlacement',
            'metadata:',
            `  name: ${of}-namespace`,
            'spec:',
            '  resourceSelectors:',
            '    - group: ""',
            '      version: v1',
            '      kind: Namespace',
            `      name: ${of}`,
            '      selectionScope: NamespaceOnly',
            '  policy:',
            '    placementType: PickAll',
          ].join('\n'),
        },
      ];

testRule(rule, {
  accepts: {
    'a namespace that a placement selects by name': {
      change: creation(release),
      fleet: [placement(), clusterScoped({ ...namespace, name: 'team-a', selectionScope: 'NamespaceOnly' })],
    },
    'a namespace that a placement may select by labels': {
      change: creation(release),
      fleet: [placement(), clusterScoped({ ...namespace, labelSelector: { matchLabels: { team: 'a' } } })],
    },
    'a placement of all namespaces': { change: creation(release), fleet: [placement(), clusterScoped(namespace)] },
    'the start of a run': { change: lateStart(release), fleet: [placement()] },
    'what cannot be known': { change: creation(release), knowledge: 'partial' },
  },
  rejects: {
    'a namespace that nothing places, in a namespace': {
      change: creation(release),
      fleet: [placement()],
      findings: missing,
    },
    'a placement of another namespace, or of something else of that name': {
      change: creation(release),
      fleet: [
        placement(),
        clusterScoped(
          { ...namespace, name: 'team-ab' },
          { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'ClusterRole', name: 'team-a' },
          { group: 'example.com', version: 'v1', kind: 'Namespace', name: 'team-a' },
        ),
      ],
      findings: missing,
    },
    'a placement in a namespace, which cannot place namespaces': {
      change: creation(release),
      fleet: ({ namespace: of }) => [
        placement('shop', {
          spec: { resourceSelectors: of === undefined ? [] : [{ ...namespace, name: of }] },
        }),
      ],
      findings: missing,
    },
  },
});
