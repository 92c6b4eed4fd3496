import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { scanReview } from '../../src/http/review-scan.js';

const bytes = (text: string): Buffer => Buffer.from(text);

/** Values and names as a parser finds them; what is empty counts once more. */
function countOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value);
  const names = Array.isArray(value) ? 0 : inner.length;
  return Math.max(1, inner.length) + names + inner.reduce<number>((sum, item) => sum + countOf(item), 0);
}

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

describe('the depth of JSON', () => {
  test.each<[string, string, number]>([
    ['lists', '[[[]]]', 3],
    ['objects', '{"a":{"a":{"a":{}}}}', 4],
    ['brackets in text', '"[[[[[["', 0],
    ['an escaped quote in text', '"\\"[[[[[["', 0],
    ['an escaped backslash before the quote', '["\\\\",[[[]]]]', 4],
    ['siblings', '[[],[],[],[],[]]', 2],
    ['an end that never comes', '[[[[', 4],
    ['text that never ends', '"[[[[', 0],
    ['a backslash at the very end', '"[[[[\\', 0],
  ])('%s', (_, text, expected) => {
    expect(scanReview(bytes(text)).depth).toBe(expected);
  });
});

test('depth and count are what a parser finds', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const { depth, values, unread } = scanReview(bytes(JSON.stringify(value, undefined, indent)));
      expect({ depth, values, unread }).toEqual({ depth: depthOf(value), values: countOf(value), unread: [] });
    }),
  );
});

test('different names are counted, as good as all of them', () => {
  const object = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key-${String(index)}`, { a: 1 }]));
  const { names } = scanReview(bytes(JSON.stringify([object, object])));
  expect(names).toBeGreaterThan(9_800);
  expect(names).toBeLessThanOrEqual(10_001);
});

test('texts are counted where they are values, and only there', () => {
  const labels = { a: 'b', c: '' };
  const review = { request: { uid: 'u', object: { metadata: { labels, name: 'x' }, spec: ['y', 1, {}, '"'] } } };
  const { texts, seldom } = scanReview(bytes(JSON.stringify(review)));
  expect([texts, seldom.texts]).toEqual([4, 2]);
});

test('counting ends beyond the limit', () => {
  expect(scanReview(bytes(`[${'1,'.repeat(100_000)}1]`), { values: 10, names: 10, texts: 10 }).values).toBe(11);
  const names = Array.from({ length: 1000 }, (_, index) => `"k${String(index)}":1`).join(',');
  expect(scanReview(bytes(`{${names}}`), { values: 10_000, names: 10, texts: 10_000 }).names).toBe(11);
});

const anything = fc.jsonValue({ maxDepth: 3 });
const withMetadata = fc.record({ metadata: fc.dictionary(fc.string(), anything), spec: anything });

describe('managedFields of the objects', () => {
  test('are found wherever they stand, and nothing else is', () => {
    fc.assert(
      fc.property(withMetadata, withMetadata, fc.array(anything), (object, oldObject, managedFields) => {
        const review = (fields: unknown) => ({
          kind: 'AdmissionReview',
          request: {
            uid: 'u',
            object: { ...object, metadata: { managedFields: fields, ...object.metadata } },
            oldObject: { ...oldObject, metadata: { ...oldObject.metadata, managedFields: fields } },
          },
        });
        const body = bytes(JSON.stringify(review(managedFields)));
        const { unread, depth, values } = scanReview(body);
        expect(unread.map(([from, to]) => body.toString('utf8', from, to))).toEqual(
          Array(unread.length).fill(JSON.stringify(managedFields)),
        );
        expect(unread).toHaveLength(2);
        expect({ depth, values }).toEqual({ depth: depthOf(review(0)), values: countOf(review(0)) });
      }),
    );
  });

  test.each<[string, unknown]>([
    ['outside of a review', { managedFields: [1] }],
    ['in metadata of something else', { request: { options: { metadata: { managedFields: [1] } } } }],
    ['outside of metadata', { request: { object: { managedFields: [1], spec: { managedFields: [1] } } } }],
    ['deeper in metadata', { request: { object: { metadata: { labels: { managedFields: [1] } } } } }],
    ['where a list stands in between', { request: [{ object: { metadata: { managedFields: [1] } } }] }],
    ['as text', { request: { object: { metadata: { managedFields: '[1]' } } } }],
  ])('%s count as all else does', (_, review) => {
    const { unread, values, seldom } = scanReview(bytes(JSON.stringify(review)));
    expect({ unread, values: values + seldom.values }).toEqual({ unread: [], values: countOf(review) });
  });
});

test('labels, annotations and finalizers of the objects are counted apart', () => {
  const apart = { labels: { a: 'b', c: '[{,:' }, annotations: { d: '' }, finalizers: ['e', 'f'] };
  const review = (metadata: unknown) => ({ request: { object: { metadata, spec: { labels: { g: 'h' } } } } });
  const body = bytes(JSON.stringify(review({ ...apart, name: 'x' })));
  const { seldom, values, names } = scanReview(body);
  expect(seldom.spans.map(([from, to]) => JSON.parse(body.toString('utf8', from, to)) as unknown)).toEqual(
    Object.values(apart),
  );
  expect(seldom).toMatchObject({ names: 3, values: countOf(apart.labels) + countOf(apart.annotations) + 2 });
  expect(values + seldom.values).toBe(countOf(review({ ...apart, name: 'x' })));
  expect(names).toBeGreaterThan(0);
});

test('the objects begin where the first of their names stands in the request, and nowhere else', () => {
  const before = '{"object":{"object":1},"request":{"uid":"u","userInfo":{"object":"\\"object\\":"},';
  expect(scanReview(bytes(`${before}"oldObject":{},"object":{"object":{}}}}`)).objectsFrom).toBe(before.length);
  expect(scanReview(bytes('{"request":{"uid":"u"}}')).objectsFrom).toBeUndefined();
});
