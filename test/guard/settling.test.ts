import { expect, test } from '@jest/globals';
import { createSettling, type Settling, type SettlingOptions } from '../../src/guard/settling.js';

function withClock(options: Omit<SettlingOptions, 'now'> = {}): {
  settling: Settling;
  pass: (seconds: number) => void;
} {
  let time = 5_000_000;
  return {
    settling: createSettling({ now: () => time, ...options }),
    pass: (seconds) => {
      time += seconds * 1000;
    },
  };
}

test('counts the seconds since a thing was first named', () => {
  const { settling, pass } = withClock();
  expect(settling.secondsOf('shop')).toBe(0);
  pass(3);
  expect(settling.secondsOf('shop')).toBe(3);
  pass(4);
  expect(settling.secondsOf('shop')).toBe(7);
});

test('keeps things apart', () => {
  const { settling, pass } = withClock();
  settling.secondsOf('shop');
  pass(3);
  expect(settling.secondsOf('constructor')).toBe(0);
});

test('starts anew when nobody has named the thing for a while', () => {
  const { settling, pass } = withClock({ forgetAfterSeconds: 10 });
  settling.secondsOf('shop');
  pass(10);
  expect(settling.secondsOf('shop')).toBe(10);
  pass(11);
  expect(settling.secondsOf('shop')).toBe(0);
});

test('forgets what was named longest ago when there are too many', () => {
  const { settling, pass } = withClock({ most: 2 });
  settling.secondsOf('a');
  settling.secondsOf('b');
  pass(1);
  settling.secondsOf('a');
  settling.secondsOf('c');
  expect(settling.secondsOf('a')).toBe(1);
  expect(settling.secondsOf('b')).toBe(0);
});

test('keeps no more of a name than names of objects need', () => {
  const { settling, pass } = withClock();
  const long = 'x'.repeat(5_000);
  settling.secondsOf(`${long}1`);
  pass(3);
  // What is beyond is forgotten, so that ten thousand names of megabytes fill no memory.
  expect(settling.secondsOf(`${long}2`)).toBe(3);
  const name = (end: string): string => `gate ${'n'.repeat(253)}/${'r'.repeat(253)}${end}`;
  settling.secondsOf(name('1'));
  pass(3);
  expect(settling.secondsOf(name('2'))).toBe(0);
});
