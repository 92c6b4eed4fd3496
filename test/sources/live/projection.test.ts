import { describe, expect, test } from '@jest/globals';
import { decode } from '../../../src/fleet/decode.js';
import { kindIn, type Family, type KindOfFamily } from '../../../src/fleet/kinds.js';
import { progressOf } from '../../../src/fleet/run.js';
import { LiveCache } from '../../../src/sources/live/cache.js';
import { Projection } from '../../../src/sources/live/projection.js';
import { condition, placement, run, strategy } from '../../support/builders.js';
import { jsonIn, scopes, type Scope } from '../../support/scopes.js';

const kindFor = <F extends Family>(family: F, namespace: string | undefined) =>
  kindIn(family, namespace) as KindOfFamily & { family: F };

const clusterOf = (name: string, ...done: string[]) => ({
  clusterName: name,
  conditions: done.map((type) => condition(type, 'True', `${type}Reason`, `a long text about ${name}`)),
});

const stageOf = (name: string, ...clusters: unknown[]) => ({
  stageName: name,
  clusters,
  conditions: [condition('Progressing', 'True', 'StageUpdatingStarted', 'keep me')],
});

const aRun = (name: string) =>
  run(name, {
    metadata: {
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration': '{}',
        team: 'red',
        'kubernetes-fleet.io/resource-hash': 'abc',
      },
    },
    status: {
      conditions: [condition('Progressing', 'True', 'UpdateRunStuck', 'stuck at "b"')],
      stagedUpdateStrategySnapshot: { stages: [{ name: 'canary', labelSelector: {} }] },
      stagesStatus: [stageOf('canary', clusterOf('a', 'Started', 'Succeeded'), clusterOf('b', 'Started'))],
      deletionStageStatus: stageOf('deletion', clusterOf('z')),
    },
  });

describe.each(scopes)('the projection, $name', (scope) => {
  const kind = kindFor('UpdateRun', scope.namespace);

  test('keeps what a run says of itself, its stages and which clusters are done', () => {
    const json = jsonIn(scope, aRun('release'));
    const { object: whole } = decode(kind, json);
    const lean = new Projection().read(kind, json);
    expect(lean.spec).toEqual(whole.spec);
    expect(lean.status.conditions).toEqual(whole.status.conditions);
    expect(lean.status.stagedUpdateStrategySnapshot).toEqual(whole.status.stagedUpdateStrategySnapshot);
    expect(lean.status.stagesStatus?.[0]?.conditions).toEqual(whole.status.stagesStatus?.[0]?.conditions);
    expect(lean.status.deletionStageStatus?.clusters.map(({ clusterName }) => clusterName)).toEqual(['z']);
    expect(progressOf(lean)).toEqual(progressOf(whole));
  });

  test('drops the messages and times of single clusters, and annotations that no rule reads', () => {
    const lean = new Projection().read(kind, jsonIn(scope, aRun('release')));
    expect(lean.status.stagesStatus?.[0]?.clusters[1]).toEqual({
      clusterName: 'b',
      conditions: [{ type: 'Started', status: 'True', reason: 'StartedReason' }],
    });
    expect({ ...lean.metadata.annotations }).toEqual({ 'kubernetes-fleet.io/resource-hash': 'abc' });
  });

  test('keeps once what two runs have alike', () => {
    const projection = new Projection();
    const [one, two] = ['one', 'two'].map((name) => projection.keep(kind, jsonIn(scope, aRun(name))));
    expect(one?.status.stagesStatus?.[0]?.clusters[0]).toBe(two?.status.stagesStatus?.[0]?.clusters[0]);
    expect(one?.status.stagedUpdateStrategySnapshot).toBe(two?.status.stagedUpdateStrategySnapshot);
    expect(one?.metadata.labels).toBe(two?.metadata.labels);
  });

  test('leaves other kinds as the decoder reads them', () => {
    for (const draft of [placement('shop'), strategy('rings', { name: 'canary', labelSelector: {} })]) {
      const of = kindFor(draft.family, scope.namespace);
      expect(new Projection().read(of, jsonIn(scope, draft))).toEqual(decode(of, jsonIn(scope, draft)).object);
    }
  });

  test.each([null, 5, 'x', [], { status: 5 }, { status: { stagesStatus: [5, { clusters: 'x' }, { clusters: [5] }] } }])(
    'takes any JSON: %j',
    (json) => {
      expect(new Projection().read(kind, json).kind).toBe(scope.kind('UpdateRun'));
    },
  );
});

test('an object that came as metadata alone is named by its own kind and version', () => {
  const json = {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: { name: 'eu', labels: { a: 'b' } },
  };
  const lean = new Projection().read(kindFor('MemberCluster', undefined), json);
  expect(lean).toMatchObject({ apiVersion: 'cluster.kubernetes-fleet.io/v1beta1', kind: 'MemberCluster' });
});

describe('what is kept', () => {
  const [scope = { name: '' } as Scope] = scopes;
  const strategies = kindFor('UpdateStrategy', undefined);
  const members = kindFor('MemberCluster', undefined);
  const tick = (count: number, metadata: object) => ({
    metadata: { name: 'rings', resourceVersion: String(count), ...metadata },
  });
  const large = (count: number) => `${String(count)} ${'x'.repeat(192 * 1024)}`;

  test.each<[string, (count: number) => object]>([
    ['annotations', (count) => ({ annotations: { note: large(count) } })],
    ['labels', (count) => ({ labels: Object.fromEntries([[`k${String(count)}`, large(count)]]) })],
    ['finalizers', (count) => ({ finalizers: [`example.com/f${String(count)}`, large(count)] })],
  ])('does not grow with %s that are written over again and again', (_what, metadata) => {
    const cache = new LiveCache();
    const sink = cache.sinkFor(strategies);
    for (let count = 0; count < 900; count++) {
      sink.put(tick(count, metadata(count)));
      expect(cache.projection.size.bytes).toBeLessThan(2048);
    }
    expect(JSON.stringify(cache.all('UpdateStrategy')).length).toBeLessThan(2048);
    sink.remove({ name: 'rings' });
    expect(cache.projection.size).toEqual({ parts: 0, bytes: 0 });
  });

  test('of a run goes when the run does, or is written again, and stays while another has the same', () => {
    const cache = new LiveCache();
    const sink = cache.sinkFor(kindFor('UpdateRun', undefined));
    const json = (name: string, version: string) => {
      const whole = jsonIn(scope, aRun(name)) as { metadata: object };
      return { ...whole, metadata: { ...whole.metadata, resourceVersion: version } };
    };
    sink.put(json('one', '1'));
    const { parts } = cache.projection.size;
    expect(parts).toBeGreaterThan(5);
    sink.put(json('two', '1'));
    sink.put(json('two', '1'));
    sink.put(json('one', '2'));
    expect(cache.projection.size.parts).toBe(parts);
    sink.remove({ name: 'one' });
    expect(cache.projection.size.parts).toBe(parts);
    sink.keepOnly(new Set());
    expect(cache.projection.size).toEqual({ parts: 0, bytes: 0 });
  });

  test('is every label of a member cluster, which a selector may read, and nothing of what is only looked at', () => {
    const projection = new Projection();
    const json = { metadata: { name: 'eu', labels: { ring: '0', anything: 'else' }, annotations: { note: 'x' } } };
    const lean = projection.read(members, json);
    expect({ ...lean.metadata.labels }).toEqual({ ring: '0', anything: 'else' });
    expect(projection.size.parts).toBe(0);
  });
});
