import { describe, expect, test } from '@jest/globals';
import { withoutManagedFields } from '../../src/hub/managed-fields.js';
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
    const read = JSON.parse(withoutManagedFields(JSON.stringify(padded))) as unknown;
    expect(read).toEqual({ ...padded, metadata: { ...padded.metadata, managedFields: [] } });
  });

  test('so they are of each object of a list', () => {
    const list = (managedFields: unknown) => ({ items: [objectWith(managedFields), objectWith(managedFields)] });
    const text = JSON.stringify(list([{ fieldsV1: names }]));
    expect(JSON.parse(withoutManagedFields(text))).toEqual(list([]));
  });

  test('without them nothing changes', () => {
    const text = JSON.stringify({ metadata: { name: 'x' }, padding: '"managedFields":['.repeat(10_000) });
    expect(withoutManagedFields(text)).toBe(text);
  });

  test('what is cut off in the middle stays no JSON', () => {
    const text = JSON.stringify(objectWith([{ fieldsV1: names }]));
    expect(() => JSON.parse(withoutManagedFields(text.slice(0, 100_000))) as unknown).toThrow();
  });
});

test('a small object stays as it is', () => {
  const text = JSON.stringify(objectWith(tricky));
  expect(withoutManagedFields(text)).toBe(text);
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
