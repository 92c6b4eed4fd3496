import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { changeOf, type Change } from '../../src/engine/change.js';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy } from '../../src/engine/policy.js';
import { decode } from '../../src/fleet/decode.js';
import { IndexedFleet } from '../../src/fleet/indexed-fleet.js';
import { isObject } from '../../src/fleet/json.js';
import { kindOf, type KindOfFamily } from '../../src/fleet/kinds.js';
import { withDiagnosis } from '../../src/guard/with-diagnosis.js';
import { catalogue } from '../../src/rules/index.js';
import { fuzz, fuzzTimeout, tellCounts } from '../support/fuzz.js';
import { hostileTexts, saidOf, voicesIn } from '../support/hostile.js';
import { hubs, type Json } from '../support/hubs.js';

/*
 * Recorded hubs with hostile parts in what is stored, and every write to each of their objects: no rule throws, and nobody
 * but the guard speaks. FUZZ_RUNS=20000 goes on for longer; some 40 writes a hub.
 */

const texts = [...hostileTexts, '', 'x'.repeat(3_000), '__proto__', 'constructor', '\ud800', '9'.repeat(400), '1e9'];
const junk: readonly unknown[] = [null, 5, -1, 1e308, 2 ** 53, true, '', [], {}, [null], { a: { b: 1 } }];

/** Some values gone, of another type, doubled or hostile; the more, the higher the rate (of a thousand). */
function spoiled(value: unknown, dice: () => number, rate: number): unknown {
  const side = dice();
  if (side < rate) return undefined;
  if (side < 2 * rate) return junk[dice() % junk.length];
  if (typeof value === 'string') return side < 8 * rate ? spoiledText(value, dice) : value;
  if (typeof value === 'number') return side < 4 * rate ? -value : value;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => spoiled(item, dice, rate));
    return side < 3 * rate ? [...items, ...items] : items;
  }
  if (!isObject(value)) return value;
  const isKept = (key: string): boolean => key === 'apiVersion' || key === 'kind';
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isKept(key) ? inner : spoiled(inner, dice, rate)]),
  );
}

function spoiledText(text: string, dice: () => number): string {
  const evil = texts[dice() % texts.length] ?? '';
  return dice() < 600 ? `${text}${evil}` : evil;
}

function kindIn({ apiVersion, kind }: Json): KindOfFamily | undefined {
  return kindOf(String(apiVersion), String(kind));
}

/** Every write to a stored object, of itself or of something like it. */
function* writesTo(item: Json, kind: KindOfFamily, dice: () => number): Iterable<Change> {
  const model = (json: Json): never => decode(kind, json).object as never;
  const { name, namespace } = (model(item) as { metadata: { name: string; namespace?: string } }).metadata;
  const next = spoiled(item, dice, 15);
  const inState = (state: string): never => model({ ...item, spec: { ...(item['spec'] as Json), state } });
  const identity = {
    ...{ family: kind.family, name, namespace: kind.namespaced ? (namespace ?? 'x') : undefined },
    user: ['alice', ...defaultPolicy.hubAgent.users][dice() % 2] ?? '',
    dryRun: dice() < 100,
    requestVersion: ['v1', 'v1beta1', 'v1alpha1'][dice() % 3] ?? '',
  };
  const [object, oldObject] = [model(isObject(next) ? next : item), model(item)];
  yield changeOf(identity, { object });
  yield changeOf({ ...identity, name: 'brand-new' }, { object });
  yield changeOf(identity, { object, oldObject });
  yield changeOf(identity, { oldObject });
  yield changeOf({ ...identity, subresource: 'status', statusDiffers: true }, { object, oldObject });
  yield changeOf(identity, { object: inState('Run'), oldObject: inState('Stop') });
  yield changeOf(identity, { object: inState('Stop'), oldObject: inState('Run') });
}

test(
  'whatever is stored, every write is judged without a rule that throws, and nobody else speaks',
  () => {
    const counts: Record<string, number> = {};
    const judge = (change: Change, fleet: IndexedFleet, now: number): void => {
      const world = { rules: catalogue, fleet, policy: defaultPolicy, now };
      const verdict = withDiagnosis(evaluate(change, world), change, world);
      expect(verdict.failures).toEqual([]);
      expect(voicesIn([saidOf(verdict), verdict.diagnosis ?? ''].join('\n'))).toEqual([]);
      const told = verdict.findings.length === 0 ? 'without a word' : 'with findings';
      counts[told] = (counts[told] ?? 0) + 1;
    };
    fc.assert(
      fc.property(fc.constantFrom(...hubs), fc.infiniteStream(fc.nat(1_000)), (hub, numbers) => {
        const dice = (): number => numbers.next().value as number;
        const rate = dice() < 500 ? 1 : 6;
        const items = hub.items.map((item) => spoiled(item, dice, rate)).filter((item) => isObject(item)) as Json[];
        const fleet = new IndexedFleet('complete');
        const known = items.flatMap((item) => {
          const kind = kindIn(item);
          if (kind !== undefined) fleet.put(kind.family, decode(kind, item).object);
          return kind === undefined ? [] : [{ item, kind }];
        });
        for (const { item, kind } of known) {
          for (const change of writesTo(item, kind, dice)) judge(change, fleet, Date.parse(hub.recordedAt));
        }
      }),
      fuzz(60),
    );
    tellCounts('writes to hostile hubs', counts);
  },
  fuzzTimeout,
);
