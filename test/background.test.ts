import { expect, test } from '@jest/globals';
import { Background } from '../src/background.js';
import type { Clock } from '../src/clock.js';

type Turn = (signal: AbortSignal) => Promise<number>;

class Repeated extends Background {
  constructor(
    private readonly work: Turn,
    clock?: Clock,
  ) {
    super(clock);
  }

  protected turn(signal: AbortSignal): Promise<number> {
    return this.work(signal);
  }
}

/** Rests that end when the test says so. */
function heldClock(): { clock: Clock; rests: number[]; wake: () => void } {
  const rests: number[] = [];
  let wake = (): void => undefined;
  const clock: Clock = {
    now: () => 0,
    random: () => 0,
    after(milliseconds, call) {
      rests.push(milliseconds);
      wake = call;
      return () => undefined;
    },
  };
  return {
    clock,
    rests,
    wake: () => {
      wake();
    },
  };
}

const turnOfTheLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('rests as long as each turn asks for, and not at all for 0', async () => {
  const { clock, rests, wake } = heldClock();
  const asked = [0, 0, 20, 30];
  const background = new Repeated(() => Promise.resolve(asked.shift() ?? 40), clock);
  background.start();
  await turnOfTheLoop();
  expect(rests).toEqual([20]);
  wake();
  await turnOfTheLoop();
  expect(rests).toEqual([20, 30]);
  await background.stop();
});

test('a rest ends when it is stopped, and no further turn begins', async () => {
  const { clock } = heldClock();
  let turns = 0;
  const background = new Repeated(() => Promise.resolve(1000 * ++turns), clock);
  background.start();
  await turnOfTheLoop();
  await background.stop();
  expect(turns).toBe(1);
});

test('stop waits for the turn under way, which hears of it by its signal', async () => {
  const { clock } = heldClock();
  const said: string[] = [];
  const background = new Repeated(async (signal) => {
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    await turnOfTheLoop();
    said.push('the turn has ended');
    return 1000;
  }, clock);
  background.start();
  await background.stop();
  said.push('stopped');
  expect(said).toEqual(['the turn has ended', 'stopped']);
});

test('what was never started stops at once', async () => {
  await expect(new Repeated(() => Promise.resolve(0)).stop()).resolves.toBeUndefined();
});
