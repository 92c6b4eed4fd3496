import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ListSplitter, takeItems } from '../../src/hub/list-items.js';

/** The bytes of a text, cut at these places. */
function* chunksOf(text: string, cuts: readonly number[]): Generator<Buffer> {
  const bytes = Buffer.from(text);
  const places = [...new Set([0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length])].sort((a, b) => a - b);
  for (const [i, from] of places.entries()) yield bytes.subarray(from, places[i + 1]);
}

async function* streamOf(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  for (const chunk of chunks) {
    await Promise.resolve();
    yield chunk;
  }
}

async function taken(text: string, cuts: readonly number[] = []) {
  const items: unknown[] = [];
  const end = await takeItems(streamOf(chunksOf(text, cuts)), (item) => items.push(item));
  return { items, ...end };
}

const nasty = fc.constantFrom(
  '{',
  '}',
  '[',
  ']',
  '"',
  '\\',
  '"items":[',
  '\\"items\\": [',
  ',',
  'ü',
  '€',
  '🚀',
  '\u2028',
);
const text = fc
  .array(fc.oneof(nasty, fc.string({ unit: 'binary', maxLength: 4 })), { maxLength: 6 })
  .map((parts) => parts.join(''));
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(text, tie('json'), { maxKeys: 4 }),
    fc.record({ items: fc.array(tie('json'), { maxLength: 3 }) }),
  ),
}));

const list = fc.record({
  items: fc.array(json, { maxLength: 8 }),
  before: fc.dictionary(text, json, { maxKeys: 3 }),
  after: fc.dictionary(text, json, { maxKeys: 3 }),
  indent: fc.constantFrom(undefined, 1, '\t'),
  cuts: fc.array(fc.nat(2000), { maxLength: 40 }),
  metadata: fc.record({ resourceVersion: fc.constant('7'), continue: text }),
});

test('every object of a list comes out as it is, wherever the bytes are cut and whatever stands around', async () => {
  await fc.assert(
    fc.asyncProperty(list, async ({ items, before, after, indent, cuts, metadata }) => {
      const whole = JSON.stringify({ ...before, items, ...after, metadata }, undefined, indent);
      const found = await taken(whole, cuts);
      // Whoever parses the whole is right about what is in it.
      const expected = JSON.parse(whole) as { items: unknown[] };
      expect(found).toEqual({
        items: expected.items,
        version: '7',
        next: metadata.continue,
        bytes: Buffer.byteLength(whole),
      });
    }),
    { numRuns: 300 },
  );
});

describe('a list', () => {
  test.each<[string, string, unknown[]]>([
    ['with no items', '{"items":[],"metadata":{"resourceVersion":"7"}}', []],
    ['with blank items', '{"items":[ \n],"metadata":{"resourceVersion":"7"}}', []],
    ['of metadata without items', '{"items":null,"metadata":{"resourceVersion":"7"}}', []],
    ['without the field', '{"metadata":{"resourceVersion":"7"}}', []],
    [
      'whose field is written in another way',
      '{"\\u0069tems":[1,{"a":[2]}],"metadata":{"resourceVersion":"7"}}',
      [1, { a: [2] }],
    ],
    ['beside a field that ends like it', '{"my\\"items":[5],"items":[1],"metadata":{"resourceVersion":"7"}}', [1]],
    ['within another field', '{"a":{"items":[5]},"items":[1],"metadata":{"resourceVersion":"7"}}', [1]],
  ])('%s', async (_name, whole, items) => {
    expect(await taken(whole)).toMatchObject({ items, version: '7' });
    expect(
      await taken(
        whole,
        Array.from({ length: whole.length }, (_, i) => i),
      ),
    ).toMatchObject({ items, version: '7' });
  });

  test.each([
    ['cut off in an item', '{"items":[{"a":1},{"b"'],
    ['cut off behind an item', '{"items":[{"a":1}'],
    ['cut off behind the items', '{"items":[{"a":1}]'],
    ['with an item missing', '{"items":[{"a":1},],"metadata":{}}'],
    ['with an item missing between others', '{"items":[1,,2],"metadata":{}}'],
    ['with an item that is no JSON', '{"items":[{"a":x}],"metadata":{}}'],
    ['closed by the wrong bracket', '{"items":[1},"metadata":{}}'],
    ['that is a page for people', '<html>items</html>'],
    ['that is empty', ''],
  ])('%s fails', async (_name, whole) => {
    await expect(taken(whole)).rejects.toThrow('the API server sent');
  });

  test('that is none fails', async () => {
    await expect(taken('{"kind":"Status","message":"no"}')).rejects.toThrow('the API server sent no list');
  });
});

test('what never ends is not kept', () => {
  const endless = (begin: string): (() => void) => {
    const splitter = new ListSplitter(() => undefined);
    splitter.push(Buffer.from(begin));
    const more = Buffer.alloc(1024 * 1024, 'x');
    return () => {
      for (let i = 0; i < 20; i++) splitter.push(more);
    };
  };
  expect(endless('{"items":["')).toThrow('without end');
  expect(endless('{"metadata":"')).toThrow('without end');
});

test('an object is handed over before the next has come', () => {
  const items: string[] = [];
  const splitter = new ListSplitter((item) => items.push(item));
  splitter.push(Buffer.from('{"items":[{"a":"}"},{"b":'));
  expect(items).toEqual(['{"a":"}"}']);
  splitter.push(Buffer.from('2}]'));
  expect(items).toEqual(['{"a":"}"}', '{"b":2}']);
});
