import { expect, test } from '@jest/globals';
import { kinds, storageVersion } from '../../src/fleet/kinds.js';
import { ourCrds } from './harness/our-crds.js';

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

const definitions = ourCrds as unknown as readonly Definition[];

test.each(kinds)('$kind is served to the tests as the table of kinds says', ({ kind, plural, group, ...row }) => {
  const found = definitions.find(({ spec }) => spec.names.kind === kind && spec.group === group)?.spec;
  expect(found?.names.plural).toBe(plural);
  expect(found?.scope).toBe(row.namespaced ? 'Namespaced' : 'Cluster');
  expect(found?.versions.map(({ name }) => name).sort()).toEqual([...row.versions].sort());
  expect(found?.versions.find(({ storage }) => storage)?.name).toBe(storageVersion);
});
