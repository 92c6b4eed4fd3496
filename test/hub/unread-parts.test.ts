import { describe, expect, test } from '@jest/globals';
import { withoutUnread } from '../../src/hub/unread-parts.js';
import { parseLines } from '../../src/hub/ndjson.js';

const names = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`f:${String(index)}`, { '.': {} }]));
const tricky = [{ manager: 'a]"\\', list: [[']'], ['"']] }, { manager: '\\\\"]' }];
const objectWith = (managedFields: unknown) => ({
  metadata: { annotations: { note: '{"managedFields":[1]}' }, managedFields, name: 'x', resourceVersion: '1' },
  spec: { managed: ['Fields'] },
});

describe('of a large object', () => {
  test.each<[string, readonly unknown[]]>([
    ['many names', [{ fieldsV1: names }]],
    ['quotes and brackets in texts', [...tricky, { fieldsV1: names }]],
    ['nothing', []],
  ])('managedFields with %s are left out, and all else stays', (_, managedFields) => {
    const padded = { ...objectWith(managedFields), padding: 'x'.repeat(70_000) };
    const read = JSON.parse(withoutUnread(JSON.stringify(padded))) as unknown;
    expect(read).toEqual({ ...padded, metadata: { ...padded.metadata, managedFields: [] } });
  });

  test('what an override does is left out, whatever names it holds, and which placement it is for stays', () => {
    const override = (overrideRules: readonly unknown[]) => ({
      metadata: { name: 'x' },
      spec: { overrideSpec: { placement: { name: 'web', scope: 'Namespaced' }, policy: { overrideRules } } },
    });
    const text = JSON.stringify(
      override([{ jsonPatchOverrides: [{ value: { ...names, '"overrideRules":[': ']' } }] }]),
    );
    expect(JSON.parse(withoutUnread(text))).toEqual(override([]));
  });

  test('so they are of each object of a list', () => {
    const list = (managedFields: unknown) => ({ items: [objectWith(managedFields), objectWith(managedFields)] });
    const text = JSON.stringify(list([{ fieldsV1: names }]));
    expect(JSON.parse(withoutUnread(text))).toEqual(list([]));
  });

  test('without them nothing changes', () => {
    const text = JSON.stringify({ metadata: { name: 'x' }, padding: '"managedFields":['.repeat(10_000) });
    expect(withoutUnread(text)).toBe(text);
  });

  test('what is cut off in the middle stays no JSON', () => {
    const text = JSON.stringify(objectWith([{ fieldsV1: names }]));
    expect(() => JSON.parse(withoutUnread(text.slice(0, 100_000))) as unknown).toThrow();
  });
});

describe('of an object with more labels than anybody needs', () => {
  const many = (value: string) =>
    Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key-${String(index)}`, value]));
  const ours = { 'kubernetes-fleet.io/is-latest-snapshot': 'true', 'kubernetes-fleet.io/parent-CRP': 'a"}\\,' };
  const placement = (labels: object, matchLabels: object) => ({
    kind: 'ResourcePlacement',
    metadata: { annotations: { ...labels, '}': '{"labels":{' }, labels, name: 'x' },
    spec: { policy: { terms: [{ labelSelector: { matchLabels } }] } },
  });
  const read = (object: object): unknown => JSON.parse(withoutUnread(JSON.stringify(object))) as unknown;

  test('those of KubeFleet stay, and of those that it asks for none', () => {
    expect(read(placement({ ...many('}"{'), ...ours }, many('x')))).toEqual({
      kind: 'ResourcePlacement',
      metadata: { annotations: ours, labels: ours, name: 'x' },
      spec: { policy: { terms: [{ labelSelector: { matchLabels: {} } }] } },
    });
  });

  test('however they are spread', () => {
    const some = Object.fromEntries(Object.entries(many('x'.repeat(40))).slice(0, 100));
    const terms = Array.from({ length: 20 }, () => ({ labelSelector: { matchLabels: some } }));
    const empty = terms.map(() => ({ labelSelector: { matchLabels: {} } }));
    expect(read({ spec: { terms } })).toEqual({ spec: { terms: empty } });
  });

  test('where they are few, all of them stay, and a large object as well', () => {
    const object = { ...placement({ ...ours, note: 'x' }, { ring: 'a' }), padding: 'x'.repeat(100_000) };
    expect(read(object)).toEqual(object);
  });
});

test('a small object stays as it is', () => {
  const text = JSON.stringify(objectWith(tricky));
  expect(withoutUnread(text)).toBe(text);
});

test('a watch does not parse what nobody reads', async () => {
  const event = { type: 'MODIFIED', object: objectWith([{ fieldsV1: names }]) };
  const read: unknown[] = [];
  async function* body(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(Buffer.from(`${JSON.stringify(event)}\n`));
  }
  for await (const one of parseLines(body())) read.push(one);
  expect(read).toEqual([{ type: 'MODIFIED', object: objectWith([]) }]);
});
