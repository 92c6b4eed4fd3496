import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { Connection } from '../../src/hub/connection.js';
import { HubAgentWatch, identifyHubAgent } from '../../src/hub/hub-agent.js';
import { RecordingLog } from '../support/guard.js';
import { scaledClock } from '../support/scaled-clock.js';
import { ScriptedApi, type Json } from '../support/scripted-api.js';
import { until } from '../support/until.js';

const user = 'system:serviceaccount:fleet-system:hub-agent-sa';
const account = '/api/v1/namespaces/fleet-system/serviceaccounts/hub-agent-sa';
const { signal } = new AbortController();
let api: ScriptedApi;
let hub: Connection;
let reviews: Json[];
let allowed: boolean;

beforeEach(async () => {
  api = await ScriptedApi.start();
  hub = new Connection({ kubeconfig: api.kubeconfig() });
  reviews = [];
  allowed = true;
  api.pages.set(account, { metadata: { name: 'hub-agent-sa' } });
  api.answerPost = (_, body) => {
    reviews.push(body);
    return { status: { allowed } };
  };
});

afterEach(async () => {
  await hub.close();
  await api.stop();
});

describe('the hub agent', () => {
  test('is confirmed where its account exists and may write the status of runs', async () => {
    expect(await identifyHubAgent(hub, [user], signal)).toMatchObject({ confirmed: true });
    expect(reviews[0]).toMatchObject({
      kind: 'SubjectAccessReview',
      spec: {
        user,
        groups: ['system:serviceaccounts', 'system:serviceaccounts:fleet-system', 'system:authenticated'],
        resourceAttributes: { resource: 'clusterstagedupdateruns', subresource: 'status', verb: 'update' },
      },
    });
  });

  test('is not where the account does not exist', async () => {
    api.pages.clear();
    const found = await identifyHubAgent(hub, [user], signal);
    expect(found).toEqual({ confirmed: false, because: 'ServiceAccount fleet-system/hub-agent-sa does not exist' });
  });

  test('is not where the guard may not look at the account, and another one is asked about all the same', async () => {
    const other = 'system:serviceaccount:other:agent';
    api.faults.get.push({ is: 'status', status: 403 });
    const because = 'the guard may not look at ServiceAccount other/agent';
    expect(await identifyHubAgent(hub, [other], signal)).toEqual({ confirmed: false, because });
    api.faults.get.push({ is: 'status', status: 403 });
    expect(await identifyHubAgent(hub, [other, user], signal)).toMatchObject({ confirmed: true });
  });

  test('is not where the account may not write the status of runs', async () => {
    allowed = false;
    expect(await identifyHubAgent(hub, [user], signal)).toMatchObject({ confirmed: false });
  });

  test('is one of the users that are named', async () => {
    const users = ['system:serviceaccount:other:agent', 'somebody', user];
    expect(await identifyHubAgent(hub, users, signal)).toMatchObject({ confirmed: true });
    expect(await identifyHubAgent(hub, ['somebody'], signal)).toMatchObject({ confirmed: false });
    expect(await identifyHubAgent(hub, [], signal)).toMatchObject({ confirmed: false });
  });

  test('is asked about again, and an outage changes nothing in what was known', async () => {
    const log = new RecordingLog();
    let named = [user];
    const watch = new HubAgentWatch({ hub, users: () => named, clock: scaledClock(10_000), log });
    expect(watch.isConfirmed).toBe(false);
    watch.start();
    await until(() => watch.isConfirmed);
    api.faults.get.push({ is: 'status', status: 503 }, { is: 'cut' });
    const asked = api.count('get');
    await until(() => api.count('get') > asked + 3);
    expect(watch.isConfirmed).toBe(true);
    named = ['someone else'];
    expect(watch.isConfirmed).toBe(false);
    named = [user];
    expect(watch.isConfirmed).toBe(true);
    api.pages.clear();
    await until(() => !watch.isConfirmed);
    await watch.stop();
    expect(log.lines.map(({ level }) => level).filter((level) => level !== 'debug')).toEqual(['info', 'warn']);
  });
});
