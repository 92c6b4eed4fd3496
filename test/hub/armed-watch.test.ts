import { expect, test } from '@jest/globals';
import { ArmedWatch } from '../../src/hub/armed-watch.js';
import { HubError, type Call, type HubCalls } from '../../src/hub/hub.js';
import { RecordingLog } from '../support/guard.js';
import { scaledClock } from '../support/scaled-clock.js';
import { until } from '../support/until.js';

test('the guard asks what its webhooks ask, notices the brake, and an outage changes nothing', async () => {
  let allowed = true;
  let isDown = false;
  const calls: Call[] = [];
  const hub: HubCalls = {
    call(call) {
      calls.push(call);
      return isDown ? Promise.reject(new HubError(503, 'no')) : Promise.resolve({ status: { allowed } });
    },
  };
  const log = new RecordingLog();
  const watch = new ArmedWatch({ hub, namespace: 'fleet-stageguard', log, clock: scaledClock(1000) });
  expect(watch.isArmed).toBeUndefined();
  watch.start();
  await until(() => watch.isArmed === true);
  expect(calls[0]).toMatchObject({
    method: 'POST',
    body: {
      kind: 'SelfSubjectAccessReview',
      spec: {
        resourceAttributes: {
          namespace: 'fleet-stageguard',
          group: 'stageguard.io',
          resource: 'hooks',
          verb: 'answer',
        },
      },
    },
  });
  isDown = true;
  const before = calls.length;
  await until(() => calls.length > before + 2);
  expect(watch.isArmed).toBe(true);
  [isDown, allowed] = [false, false];
  await until(() => watch.isArmed === false);
  await watch.stop();
  expect(log.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
    'the webhooks have gone out of force: writes are not judged any more',
  ]);
});
