import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const file = join(import.meta.dirname, '..', '..', 'charts', 'stageguard', 'files', 'access.yaml');
const access = parse(readFileSync(file, 'utf8')) as object;

/** Every rule below a value, wherever it stands. */
function rulesIn(value: unknown): readonly Rule[] {
  if (Array.isArray(value)) return value.flatMap(rulesIn);
  if (typeof value !== 'object' || value === null) return [];
  return 'verbs' in value ? [value as Rule] : Object.values(value).flatMap(rulesIn);
}

const rules = rulesIn(access);
const lines = (of: readonly Rule[]): readonly string[] =>
  of.map(({ resources, verbs, resourceNames = [] }) => [verbs, resources, resourceNames].map(String).join(' '));

test('no right is a wildcard', () => {
  const words = rules.flatMap((rule) => [...rule.apiGroups, ...rule.resources, ...rule.verbs]);
  expect(words.filter((word) => word.includes('*'))).toEqual([]);
});

test('of Secrets the guard reads and writes its own by name, and lists none', () => {
  expect(lines(rules.filter(({ resources }) => resources.includes('secrets')))).toEqual([
    'create secrets ',
    'get,update secrets TLS_SECRET',
  ]);
});

/** By what is asked for, and why no name can stand there. */
const unnamed = {
  'get,list,watch clusterstagedupdateruns,stagedupdateruns,clusterstagedupdatestrategies,stagedupdatestrategies,clusterapprovalrequests,approvalrequests,clusterresourceplacements,resourceplacements,clusterresourcesnapshots,resourcesnapshots,clusterschedulingpolicysnapshots,schedulingpolicysnapshots,clusterresourceoverridesnapshots,resourceoverridesnapshots':
    'the objects that are judged, and what they name: any of them',
  'get,list,watch memberclusters': 'a selector may pick any of them',
  'get,list clusterresourcebindings,resourcebindings': 'those of a placement, found by label',
  'create subjectaccessreviews': 'a question, which has no name',
  'list,watch namespaces': 'their labels, where the settings give modes by them; without that nobody asks',
  'get,list,watch,create,update,delete leases': 'one a placement, named by a hash; in the namespace of the guard only',
  'create secrets': 'a right to create cannot name the object; in the namespace of the guard only',
  'create rolebindings': 'the same; and whom it binds to what is bounded by "bind" on one Role',
  'answer hooks': 'a right that nobody uses: to hold it is what the webhooks ask for',
};

test('every right names its object, except where it cannot', () => {
  const without = rules.filter(({ resourceNames = [] }) => resourceNames.length === 0);
  expect(lines(without).map((line) => line.trim())).toEqual(Object.keys(unnamed));
});

test('what it writes is its own: Leases, certificates, the binding that arms it', () => {
  const writes = rules.filter(({ verbs }) => verbs.some((verb) => !['get', 'list', 'watch'].includes(verb)));
  expect(lines(writes)).toEqual([
    'create subjectaccessreviews ',
    'get,list,watch,create,update,delete leases ',
    'get,update mutatingwebhookconfigurations,validatingwebhookconfigurations RELEASE',
    'create secrets ',
    'get,update secrets TLS_SECRET',
    'create rolebindings ',
    'get,delete rolebindings ARMED_ROLE',
    'bind roles ARMED_ROLE',
    'answer hooks ',
  ]);
});
