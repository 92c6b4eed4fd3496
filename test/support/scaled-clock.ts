import { jest } from '@jest/globals';
import { systemClock, type Clock } from '../../src/sources/live/clock.js';

/** Where seconds pass in milliseconds, a busy machine is late for everything: what fails is tried again, and says so. */
jest.retryTimes(2, { logErrorsBeforeRetry: true });

/** A clock on which everything happens sooner: a minute takes 60 s divided by `speed`. */
export function scaledClock(speed: number): Clock {
  return {
    now: () => systemClock.now() * speed,
    after: (milliseconds, call) => systemClock.after(milliseconds / speed, call),
    random: () => systemClock.random(),
  };
}
