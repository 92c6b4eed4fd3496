import { expect, test } from '@jest/globals';
import { decide, type Situation } from '../../src/claims/protocol.js';

/** How often client-go sends a request again that was answered with Retry-After. */
const attempts = 10;

test.each([1, 5, 10, 59, 60, 61, 120, 600])('a client that sends again outlasts a settle time of %d s', (settle) => {
  const rollout = { stagedRolloutStrategyName: 'rings' };
  const situation = (age: number): Situation => ({
    request: { uid: 'mine', name: 'release', rollout },
    namesake: 'none',
    holders: [{ claim: { uid: 'other', name: 'before', rollout }, run: 'absent', wasStored: false }],
    age,
    settle,
    concurrency: 'exclusive',
    renews: false,
  });
  let age = 0;
  for (let sent = 0; sent < attempts; sent++) {
    const step = decide(situation(age));
    if (step.act !== 'retry') break;
    age += step.seconds;
  }
  expect(decide(situation(age)).act).toBe('write');
});
