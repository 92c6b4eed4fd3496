import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { AccessAnswers, type Requester, type WantedAccess } from '../../src/hub/access-answers.js';
import { Connection } from '../../src/hub/connection.js';
import { ScriptedApi, type Json } from '../support/scripted-api.js';

const { signal } = new AbortController();
const alice: Requester = { user: 'alice', uid: 'u-1', groups: ['developers'], extra: { scopes: ['a'] } };
const wanted: WantedAccess = {
  group: 'stageguard.io',
  resource: 'rules',
  name: 'strategy-wait-time',
  verb: 'bypass',
  namespace: 'team-a',
};
let api: ScriptedApi;
let hub: Connection;
let reviews: Json[];
let allowed: boolean;
let now: number;
let answers: AccessAnswers;

beforeEach(async () => {
  api = await ScriptedApi.start();
  hub = new Connection({ kubeconfig: api.kubeconfig() });
  reviews = [];
  allowed = true;
  now = 0;
  api.answerPost = (_, body) => {
    reviews.push(body);
    return { status: { allowed } };
  };
  answers = new AccessAnswers({ hub, now: () => now });
});
afterEach(async () => {
  await hub.close();
  await api.stop();
});

test('the API server is asked about all that it knows of the requester', async () => {
  expect(await answers.may(alice, wanted, signal)).toBe(true);
  expect(reviews[0]).toMatchObject({
    kind: 'SubjectAccessReview',
    spec: { user: 'alice', uid: 'u-1', groups: ['developers'], extra: { scopes: ['a'] }, resourceAttributes: wanted },
  });
});

test('what belongs to no namespace is asked about without one', async () => {
  await answers.may(alice, { ...wanted, namespace: undefined }, signal);
  expect(reviews[0]).toHaveProperty(['spec', 'resourceAttributes'], {
    group: 'stageguard.io',
    resource: 'rules',
    name: 'strategy-wait-time',
    verb: 'bypass',
  });
});

test('an answer holds for seconds, and no longer', async () => {
  await answers.may(alice, wanted, signal);
  allowed = false;
  now = 4_999;
  expect(await answers.may(alice, wanted, signal)).toBe(true);
  now = 5_000;
  expect(await answers.may(alice, wanted, signal)).toBe(false);
  expect(reviews).toHaveLength(2);
});

test.each<[string, Partial<Requester>, Partial<WantedAccess>]>([
  ['user', { user: 'bob' }, {}],
  ['group', { groups: ['developers', 'operators'] }, {}],
  ['extra', { extra: {} }, {}],
  ['rule', {}, { name: 'strategy-size' }],
  ['namespace', {}, { namespace: 'team-b' }],
])('an answer is not taken for that of another %s', async (_name, requester, other) => {
  await answers.may(alice, wanted, signal);
  await answers.may({ ...alice, ...requester }, { ...wanted, ...other }, signal);
  expect(reviews).toHaveLength(2);
});

test('an error is no answer, and is not remembered', async () => {
  api.faults.post.push({ is: 'status', status: 503 });
  await expect(answers.may(alice, wanted, signal)).rejects.toThrow('503');
  expect(await answers.may(alice, wanted, signal)).toBe(true);
});

test('only so many answers are kept: the oldest goes', async () => {
  answers = new AccessAnswers({ hub, now: () => now, most: 3 });
  const about = (index: number) => answers.may(alice, { ...wanted, name: `rule-${String(index)}` }, signal);
  for (let index = 0; index <= 3; index++) await about(index);
  await about(1);
  expect(reviews).toHaveLength(4);
  await about(0);
  expect(reviews).toHaveLength(5);
});
