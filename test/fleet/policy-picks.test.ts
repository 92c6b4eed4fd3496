import { describe, expect, test } from '@jest/globals';
import { picks, type Likelihood } from '../../src/fleet/policy-picks.js';
import { objectIn, scopes } from '../support/scopes.js';

type Json = Readonly<Record<string, unknown>>;

const [inCluster] = scopes as [(typeof scopes)[0]];

function likelihoodOf(policy: Json | undefined, labels: Json = {}, taints: readonly Json[] = []): Likelihood {
  const snapshot = { family: 'PolicySnapshot', json: { metadata: { name: 'shop-0' }, spec: { policy } } } as const;
  const member = { family: 'MemberCluster', json: { metadata: { name: 'eu', labels }, spec: { taints } } } as const;
  return picks(objectIn(inCluster, snapshot).spec.policy, objectIn(inCluster, member));
}

const requiring = (...clusterSelectorTerms: readonly Json[]): Json => ({
  affinity: { clusterAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { clusterSelectorTerms } } },
});
const prod = { labelSelector: { matchLabels: { env: 'prod' } } };
const large = { propertySelector: { matchExpressions: [{ name: 'nodes', operator: 'Gt', values: ['9'] }] } };
const taint = { key: 'gpu', value: 'true', effect: 'NoSchedule' };

describe('a placement picks up a new cluster', () => {
  test.each<[string, Json | undefined, Likelihood]>([
    ['without a policy', undefined, 'yes'],
    ['that takes all', { placementType: 'PickAll' }, 'yes'],
    ['that says no type', {}, 'yes'],
    ['that counts', { placementType: 'PickN', numberOfClusters: 3 }, 'no'],
    ['that names', { placementType: 'PickFixed', clusterNames: ['eu'] }, 'no'],
    ['that asks for a label it has', requiring(prod), 'yes'],
    ['that asks for a label it lacks', requiring({ labelSelector: { matchLabels: { env: 'dev' } } }), 'no'],
    ['that asks for either', requiring({ labelSelector: { matchLabels: { env: 'dev' } } }, prod), 'yes'],
    ['that asks for a property', requiring(large), 'perhaps'],
    ['that asks for a label and a property', requiring({ ...prod, ...large }), 'perhaps'],
    ['that asks for a property or a label', requiring(large, prod), 'yes'],
    ['that asks for nothing in particular', requiring(), 'yes'],
    ['that asks for nothing in a term', requiring({}), 'yes'],
    ['that asks for no property in particular', requiring({ propertySelector: { matchExpressions: [] } }), 'yes'],
    [
      'that asks for a label it lacks, or for nothing',
      requiring({ labelSelector: { matchLabels: { a: 'b' } } }, {}),
      'yes',
    ],
  ])('%s', (_, policy, expected) => {
    expect(likelihoodOf(policy, { env: 'prod' })).toBe(expected);
  });
});

describe('a placement picks up a tainted cluster', () => {
  test.each<[string, readonly Json[], Likelihood]>([
    ['that it does not tolerate', [], 'no'],
    ['by key and value', [{ key: 'gpu', operator: 'Equal', value: 'true' }], 'yes'],
    ['not by another value', [{ key: 'gpu', operator: 'Equal', value: 'false' }], 'no'],
    ['not by another key', [{ key: 'arm', operator: 'Exists' }], 'no'],
    ['by key', [{ key: 'gpu', operator: 'Exists' }], 'yes'],
    ['by anything', [{ operator: 'Exists' }], 'yes'],
    ['not by an empty toleration', [{}], 'no'],
  ])('%s', (_, tolerations, expected) => {
    expect(likelihoodOf({ tolerations }, {}, [taint])).toBe(expected);
  });

  test('not without a policy, and only if it tolerates all', () => {
    expect(likelihoodOf(undefined, {}, [taint])).toBe('no');
    expect(likelihoodOf({ tolerations: [{ key: 'gpu', operator: 'Exists' }] }, {}, [taint, { key: 'arm' }])).toBe('no');
  });
});
