import { describe, expect, test } from '@jest/globals';
import { kinds, storageVersion } from '../../src/fleet/kinds.js';
import type { Answer } from './api.js';
import { expectStored, ourCrds, readObjects } from './hub.js';
import { theirCrds } from './their-crds.js';
import { useHub } from './use-hub.js';
import { generatedWrites, pathOf, sendDry, storedObjects, type Write } from './writes.js';

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly scope: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly storage: boolean }[];
  };
}

const definitions = readObjects(ourCrds) as unknown as readonly Definition[];

test.each(kinds)('$kind is served to the tests as the table of kinds says', ({ kind, plural, group, ...row }) => {
  const found = definitions.find(({ spec }) => spec.names.kind === kind && spec.group === group)?.spec;
  expect(found?.names.plural).toBe(plural);
  expect(found?.scope).toBe(row.namespaced ? 'Namespaced' : 'Cluster');
  expect(found?.versions.map(({ name }) => name).sort()).toEqual([...row.versions].sort());
  expect(found?.versions.find(({ storage }) => storage)?.name).toBe(storageVersion);
});

/** KubeFleet up to v0.3.1 takes more wait times than later ones. */
const waitTimes = {
  old: /^0|([0-9]+(\.[0-9]+)?(s|m|h))+$/,
  new: /^(?:(?:0|[1-9][0-9]*)(\.[0-9]+)?(?:s|m|h))+$/,
};

function hasDoubtfulWaitTime({ object }: Write): boolean {
  const found = [...JSON.stringify(object).matchAll(/"waitTime":"([^"]*)"/g)].map(([, text = '']) => text);
  return found.some((text) => waitTimes.old.test(text) !== waitTimes.new.test(text));
}

/** What was wrong, field by field, in an order that does not depend on the order of the schema. */
function outcomeOf({ status, body }: Answer): unknown {
  const { causes = [] } = (body['details'] ?? {}) as { causes?: { field?: string; message?: string }[] };
  return { status, causes: causes.map(({ field, message }) => `${field ?? ''}: ${plain(message)}`).sort() };
}

/** Patterns differ in their spelling; what they match is compared by what is accepted. */
function plain(message = ''): string {
  return message.replace(/should match '.*'$/, 'should match');
}

if (theirCrds.length > 0) {
  describe('beside the definitions of KubeFleet', () => {
    const ours = useHub();

    describe.each(theirCrds)('%s', (version, crds) => {
      const their = useHub({ crds });

      test('the same objects are accepted and refused, for the same reasons', async () => {
        const hubs = [ours(), their()];
        for (const stored of storedObjects()) {
          for (const hub of hubs) {
            const answer = await hub.api('admin').create(pathOf(stored), stored.object);
            if (answer.status !== 409) expectStored(answer);
          }
        }
        const writes = generatedWrites(600).filter((write) => version === 'main' || !hasDoubtfulWaitTime(write));
        const counts = { accepted: 0, refused: 0 };
        for (const write of writes) {
          const [one, other] = await Promise.all(hubs.map((hub) => sendDry(hub.api('admin'), write)));
          if (one === undefined || other === undefined) throw new Error('two hubs give two answers');
          expect({ write, ...(outcomeOf(one) as object) }).toEqual({ write, ...(outcomeOf(other) as object) });
          counts[one.status < 300 ? 'accepted' : 'refused'] += 1;
        }
        // Both happen often, else nothing has been compared.
        expect(Math.min(counts.accepted, counts.refused)).toBeGreaterThan(100);
      }, 120_000);
    });
  });
}
