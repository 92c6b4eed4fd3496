import { describe, expect, test } from '@jest/globals';
import { decode } from '../../../src/fleet/decode.js';
import { kindIn, type Family, type KindOfFamily } from '../../../src/fleet/kinds.js';
import { progressOf } from '../../../src/fleet/run.js';
import { Projection } from '../../../src/sources/live/projection.js';
import { condition, placement, run, strategy } from '../../support/builders.js';
import { jsonIn, scopes } from '../../support/scopes.js';

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
    metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', team: 'red' } },
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
    const lean = new Projection().object(kind, json);
    expect(lean.spec).toEqual(whole.spec);
    expect(lean.status.conditions).toEqual(whole.status.conditions);
    expect(lean.status.stagedUpdateStrategySnapshot).toEqual(whole.status.stagedUpdateStrategySnapshot);
    expect(lean.status.stagesStatus?.[0]?.conditions).toEqual(whole.status.stagesStatus?.[0]?.conditions);
    expect(lean.status.deletionStageStatus?.clusters.map(({ clusterName }) => clusterName)).toEqual(['z']);
    expect(progressOf(lean)).toEqual(progressOf(whole));
  });

  test('drops the messages and times of single clusters, and what kubectl keeps for itself', () => {
    const lean = new Projection().object(kind, jsonIn(scope, aRun('release')));
    expect(lean.status.stagesStatus?.[0]?.clusters[1]).toEqual({
      clusterName: 'b',
      conditions: [{ type: 'Started', status: 'True', reason: 'StartedReason' }],
    });
    expect({ ...lean.metadata.annotations }).toEqual({ team: 'red' });
  });

  test('keeps once what two runs have alike', () => {
    const projection = new Projection();
    const [one, two] = ['one', 'two'].map((name) => projection.object(kind, jsonIn(scope, aRun(name))));
    expect(one?.status.stagesStatus?.[0]?.clusters[0]).toBe(two?.status.stagesStatus?.[0]?.clusters[0]);
    expect(one?.status.stagedUpdateStrategySnapshot).toBe(two?.status.stagedUpdateStrategySnapshot);
    expect(one?.metadata.annotations).toBe(two?.metadata.annotations);
  });

  test('leaves other kinds as the decoder reads them', () => {
    for (const draft of [placement('shop'), strategy('rings', { name: 'canary', labelSelector: {} })]) {
      const of = kindFor(draft.family, scope.namespace);
      expect(new Projection().object(of, jsonIn(scope, draft))).toEqual(decode(of, jsonIn(scope, draft)).object);
    }
  });

  test.each([null, 5, 'x', [], { status: 5 }, { status: { stagesStatus: [5, { clusters: 'x' }, { clusters: [5] }] } }])(
    'takes any JSON: %j',
    (json) => {
      expect(new Projection().object(kind, json).kind).toBe(scope.kind('UpdateRun'));
    },
  );
});

test('an object that came as metadata alone is named by its own kind and version', () => {
  const json = {
    apiVersion: 'meta.k8s.io/v1',
    kind: 'PartialObjectMetadata',
    metadata: { name: 'eu', labels: { a: 'b' } },
  };
  const lean = new Projection().object(kindFor('MemberCluster', undefined), json);
  expect(lean).toMatchObject({ apiVersion: 'cluster.kubernetes-fleet.io/v1beta1', kind: 'MemberCluster' });
});
