import { expect, test } from '@jest/globals';
import { HubError, type Call, type Hub } from '../../src/hub/hub.js';
import { NamespaceLabels, readNamespaceLabels } from '../../src/hub/namespace-labels.js';
import { scaledClock } from '../support/scaled-clock.js';
import { until } from '../support/until.js';

const namespace = (name: string, labels?: object, resourceVersion = '1') => ({
  metadata: { name, resourceVersion, ...(labels && { labels }) },
});

/** A hub with some namespaces, whose watch tells what `say` is given. */
function hubWith(namespaces: readonly object[]) {
  const calls: Call[] = [];
  const events: object[] = [];
  const hub: Hub = {
    call: () => Promise.reject(new HubError(0, 'nobody asks for it')),
    list: (call, take) => {
      calls.push(call);
      const isFirst = !call.path.includes('continue=');
      (isFirst ? namespaces : [namespace('last', { tier: 'lab' })]).forEach(take);
      return Promise.resolve({ version: '1', next: isFirst ? 'a b' : '', bytes: 1 });
    },
    stream: (call) => {
      calls.push(call);
      return Promise.resolve(told(call.signal));
    },
  };
  async function* told(signal: AbortSignal | undefined) {
    while (signal?.aborted !== true) {
      const event = events.shift();
      if (event !== undefined) yield event;
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }
  return { hub, calls, say: (event: object) => void events.push(event) };
}

test('nobody asks for namespaces before the settings speak of labels, and nothing is missing', async () => {
  const { hub, calls } = hubWith([]);
  const labels = new NamespaceLabels({ hub, isWanted: () => false, clock: scaledClock(1000) });
  labels.start();
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(labels.missing()).toEqual([]);
  await labels.stop();
  expect(calls).toEqual([]);
});

test('labels are known once they are listed, follow what is told, and are let go of again', async () => {
  let isWanted = true;
  const { hub, calls, say } = hubWith([namespace('a', { tier: 'prod', bad: 3 }), namespace('b')]);
  const labels = new NamespaceLabels({ hub, isWanted: () => isWanted, clock: scaledClock(1000) });
  expect(labels.missing()).toEqual(['the list of Namespace']);
  labels.start();
  await until(() => labels.missing().length === 0);
  expect([labels.labelsOf('a'), labels.labelsOf('b'), labels.labelsOf('c')]).toEqual([{ tier: 'prod' }, {}, undefined]);
  expect(calls[0]?.path).toMatch(/^\/api\/v1\/namespaces\?limit=/);
  expect(calls[0]?.accept).toContain('PartialObjectMetadataList');
  say({ type: 'MODIFIED', object: namespace('a', { tier: 'lab' }, '2') });
  say({ type: 'DELETED', object: namespace('b', {}, '3') });
  await until(() => labels.labelsOf('b') === undefined);
  expect(labels.labelsOf('a')).toEqual({ tier: 'lab' });
  isWanted = false;
  await until(() => labels.labelsOf('a')?.['tier'] === undefined);
  // Nothing is known, and nothing is new.
  expect(labels.labelsOf('c')).toEqual({});
  await labels.stop();
});

test('a label with the name of what JavaScript has is a label', async () => {
  const { hub } = hubWith([
    JSON.parse('{"metadata":{"name":"a","resourceVersion":"1","labels":{"__proto__":"x"}}}') as object,
  ]);
  const labelsOf = await readNamespaceLabels(hub, AbortSignal.timeout(1000));
  expect(Object.hasOwn(labelsOf('a'), '__proto__')).toBe(true);
});

test('they are read at once by pages, and a refusal is told', async () => {
  const { hub, calls } = hubWith([namespace('a', { tier: 'prod' })]);
  const labelsOf = await readNamespaceLabels(hub, AbortSignal.timeout(1000));
  expect([labelsOf('a'), labelsOf('last')]).toEqual([{ tier: 'prod' }, { tier: 'lab' }]);
  expect(calls.map(({ path }) => path)).toEqual([
    '/api/v1/namespaces?limit=500',
    '/api/v1/namespaces?limit=500&continue=a%20b',
  ]);
  const forbidden = { list: () => Promise.reject(new HubError(403, 'no')) };
  await expect(readNamespaceLabels(forbidden, AbortSignal.timeout(1000))).rejects.toThrow('no');
});
