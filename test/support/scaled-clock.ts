import { systemClock, type Clock } from '../../src/clock.js';

/** A clock on which everything happens sooner: a minute takes 60 s divided by `speed`. */
export function scaledClock(speed: number): Clock {
  return {
    now: () => systemClock.now() * speed,
    after: (milliseconds, call) => systemClock.after(milliseconds / speed, call),
    random: () => systemClock.random(),
  };
}
