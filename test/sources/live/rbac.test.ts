import { expect, test } from '@jest/globals';
import { accessFor } from '../../../src/sources/live/rbac.js';

const roles = accessFor(['system:serviceaccount:fleet-system:hub-agent-sa', 'somebody']);
const rules = roles.flatMap((role) => role.rules);

test('nothing is a wildcard, and no Secret is asked for', () => {
  const words = rules.flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs]);
  expect(words.filter((word) => word.includes('*') || word === 'secrets')).toEqual([]);
});

test('the fleet is read and never written', () => {
  const ofFleet = rules.filter(({ apiGroups }) => apiGroups.some((group) => group.endsWith('kubernetes-fleet.io')));
  expect(new Set(ofFleet.flatMap(({ verbs }) => verbs))).toEqual(new Set(['get', 'list', 'watch']));
});

test('bindings are read and not watched', () => {
  const [binding] = rules.filter(({ resources }) => resources.includes('clusterresourcebindings'));
  expect(binding).toEqual({
    apiGroups: ['placement.kubernetes-fleet.io'],
    resources: ['clusterresourcebindings', 'resourcebindings'],
    verbs: ['get', 'list'],
  });
});

test('of ServiceAccounts only the hub agent is read, where it lives', () => {
  expect(roles.slice(1)).toEqual([
    {
      namespace: 'fleet-system',
      rules: [{ apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'], resourceNames: ['hub-agent-sa'] }],
    },
  ]);
});
