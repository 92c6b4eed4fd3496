import { expect, test } from '@jest/globals';
import { accessToFleet, accessToHubAgent, accessToHubAgentImage } from '../../src/hub/rights.js';

const rules = [...accessToFleet(), ...accessToHubAgent('hub-agent-sa'), ...accessToHubAgentImage('hub-agent')];

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

test('of ServiceAccounts only those that are called as the hub agent are read, one at a time', () => {
  expect(rules.filter(({ resources }) => resources.includes('serviceaccounts'))).toEqual([
    { apiGroups: [''], resources: ['serviceaccounts'], verbs: ['get'], resourceNames: ['hub-agent-sa'] },
  ]);
});

test('of Deployments only those that are called as the hub agent are read, one at a time', () => {
  expect(rules.filter(({ resources }) => resources.includes('deployments'))).toEqual([
    { apiGroups: ['apps'], resources: ['deployments'], verbs: ['get'], resourceNames: ['hub-agent'] },
  ]);
});
