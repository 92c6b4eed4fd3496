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
