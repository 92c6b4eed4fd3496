import { describe as group, expect, test } from '@jest/globals';
import { describe, exitCodeOf, GuardError } from '../src/errors.js';

group('describe says what was thrown', () => {
  const looped: Error & { cause?: unknown } = new Error('round');
  looped.cause = looped;
  const cyclicObject: Record<string, unknown> = {};
  cyclicObject['self'] = cyclicObject;

  test.each<[string, unknown, string]>([
    ['an error', new Error('no such file'), 'no such file'],
    ['an error without a message', new TypeError(), 'TypeError'],
    [
      'a chain of causes',
      new Error('cannot read a.yaml', { cause: new Error('EACCES') }),
      'cannot read a.yaml: EACCES',
    ],
    ['a cause the wrapper quotes already', new Error('a: EACCES', { cause: new Error('EACCES') }), 'a: EACCES'],
    ['an error that is its own cause', looped, 'round'],
    ['a string', 'boom', 'boom'],
    ['an object', { code: 7 }, '{"code":7}'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined was thrown'],
    ['an object that holds itself', cyclicObject, '[object Object]'],
    ['a BigInt', 1n, '[object BigInt]'],
    ['a function', () => 1, 'function'],
  ])('%s', (_name, thrown, expected) => {
    expect(describe(thrown)).toBe(expected);
  });
});

group('the exit code', () => {
  test.each(['INPUT_SHAPE', 'CONFIG_INVALID', 'CLUSTER_UNREACHABLE'] as const)('is 2 for %s', (code) => {
    expect(exitCodeOf(new GuardError(code, 'x'))).toBe(2);
  });

  test.each([new Error('x'), 'x', undefined])('is 3 for anything else: %p', (thrown) => {
    expect(exitCodeOf(thrown)).toBe(3);
  });
});

test('a GuardError keeps its code and its cause', () => {
  const cause = new Error('EACCES');
  const error = new GuardError('INPUT_UNREADABLE', 'cannot read a.yaml', { cause });
  expect(error).toBeInstanceOf(Error);
  expect([error.code, error.cause]).toEqual(['INPUT_UNREADABLE', cause]);
});
