import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { main } from '../../src/cli/program/args.js';
import type { Io } from '../../src/cli/program/io.js';
import {
  approval,
  binding,
  cluster,
  condition,
  placement,
  policySnapshot,
  run,
  stage,
  strategy,
  type Draft,
} from '../support/builders.js';
import { jsonIn, scopes } from '../support/scopes.js';
import { ScriptedApi } from '../support/scripted-api.js';

let api: ScriptedApi;
let out: string;
let err: string;

beforeEach(async () => {
  api = await ScriptedApi.start();
});
afterEach(async () => {
  await api.stop();
});

const [clusterScope, namespaced] = scopes as [(typeof scopes)[0], (typeof scopes)[0]];
const put = (...drafts: readonly Draft[]) => {
  for (const draft of drafts) for (const scope of [clusterScope, namespaced]) api.put(jsonIn(scope, draft));
};
const stageguard = (stdin: string, ...argv: string[]): Promise<number> => {
  out = '';
  err = '';
  const io: Io = {
    out: (text) => (out += text),
    err: (text) => (err += text),
    stdin: () => Promise.resolve(Buffer.from(stdin)),
    stdinChunks: () => {
      throw new Error('nobody reads it in parts');
    },
    now: () => Date.parse('2026-11-17T12:00:00Z'),
    onUnread: () => undefined,
    isColoured: false,
    hasProgress: true,
  };
  return main(argv, io);
};

const sound = [
  placement(),
  strategy('rings', stage('canary')),
  policySnapshot(),
  cluster('eu', { ring: 'canary' }),
  binding('eu'),
];
const release = JSON.stringify({
  apiVersion: 'placement.kubernetes-fleet.io/v1beta1',
  kind: 'ClusterStagedUpdateRun',
  metadata: { name: 'release' },
  spec: { placementName: 'shop', stagedRolloutStrategyName: 'rings', state: 'Run' },
});

describe('audit', () => {
  test('ends with 0 where there are no problems', async () => {
    put(...sound);
    expect(await stageguard('', 'audit', '--kubeconfig', api.kubeconfig())).toBe(0);
    expect(out).toContain('2 objects judged: no problems found');
    expect(err).toContain('reading the fleet of the hub');
  });

  test('ends with 1 where something stored would be refused, in both scopes', async () => {
    put(strategy('waves', stage('a'), { name: 'all', labelSelector: {} }), approval('lost'));
    expect(await stageguard('', 'audit', '--kubeconfig', api.kubeconfig())).toBe(1);
    expect(out).toContain('would be refused: ClusterStagedUpdateStrategy waves');
    expect(out).toContain('would be refused: StagedUpdateStrategy team-a/waves');
    expect(out).toContain('warning: ApprovalRequest team-a/lost');
  });

  test('reports for programs', async () => {
    put(strategy('waves', stage('a'), { name: 'all', labelSelector: {} }));
    await stageguard('', 'audit', '--kubeconfig', api.kubeconfig(), '--format', 'json');
    const { findings } = JSON.parse(out) as { findings: { rule: string; name: string }[] };
    expect(findings).toMatchObject([
      { rule: 'strategy-stages-disjoint', name: 'waves' },
      { rule: 'strategy-stages-disjoint', namespace: 'team-a' },
    ]);
    await stageguard('', 'audit', '--kubeconfig', api.kubeconfig(), '--format', 'sarif');
    const { runs } = JSON.parse(out) as { runs: { results: { ruleId: string; level: string }[] }[] };
    expect(runs[0]?.results[0]).toMatchObject({ ruleId: 'strategy-stages-disjoint', level: 'error' });
  });

  test('ends with 2 where the hub says no, and names what is missing', async () => {
    api.faults.list.push(...Array.from({ length: 30 }, () => ({ is: 'status', status: 403 }) as const));
    expect(await stageguard('', 'audit', '--kubeconfig', api.kubeconfig())).toBe(2);
    expect(err).toContain('may not list or watch');
  });

  test('ends with 2 where no hub answers', async () => {
    const kubeconfig = api.kubeconfig();
    await api.stop();
    expect(await stageguard('', 'audit', '--kubeconfig', kubeconfig)).toBe(2);
    expect(err).toContain('cannot reach the hub at http://127.0.0.1');
    api = await ScriptedApi.start();
  });

  test('does not guess which fleet is meant', async () => {
    expect(await stageguard('', 'check', '-', '--live', '--fleet', 'examples/fleet')).toBe(2);
    expect(await stageguard('', 'audit', '--fleet', 'examples/fleet', '--kubeconfig', api.kubeconfig())).toBe(2);
    expect(err).toContain('give either --fleet or a hub to ask');
  });

  test('does not call missing what may stand in the part of a fleet that cannot be read', async () => {
    expect(await stageguard(`${release}\n---\na: [`, 'audit', '--fleet', '-')).toBe(2);
    expect(out).not.toContain('would be refused');
    expect(out).toContain('not judged: could not be checked: cannot know ClusterResourcePlacement "shop"');
    expect(await stageguard(release, 'audit', '--fleet', '-')).toBe(1);
    expect(out).toContain('[run-placement-exists]');
  });
});

describe('the same hub answers', () => {
  test('check', async () => {
    put(...sound);
    expect(await stageguard(release, 'check', '-', '--kubeconfig', api.kubeconfig())).toBe(0);
    api.put(jsonIn(clusterScope, cluster('eu', { ring: 'other' })));
    expect(await stageguard(release, 'check', '-', '--kubeconfig', api.kubeconfig())).toBe(1);
    expect(out).toContain('[run-cluster-in-some-stage]');
  });

  test('check, about a taint that goes: the cache holds no taints, so the cluster is read in full', async () => {
    const picked = { targetClusters: [{ clusterName: 'eu', selected: true }] };
    const rollingOut = run('release', {
      status: {
        stagedUpdateStrategySnapshot: { stages: [stage('canary')] },
        stagesStatus: [{ stageName: 'canary', clusters: [{ clusterName: 'eu' }] }],
        conditions: [condition('Initialized', 'True')],
      },
    });
    const member = (...taints: readonly object[]): Draft<'MemberCluster'> => ({
      family: 'MemberCluster',
      json: {
        metadata: { name: 'us', labels: { ring: 'canary' } },
        spec: { identity: { kind: 'User', name: 'us' }, taints },
      },
    });
    put(...sound.slice(0, 2), policySnapshot('shop', { status: picked }), cluster('eu', { ring: 'canary' }));
    for (const object of [rollingOut, member({ key: 'new', effect: 'NoSchedule' })]) {
      api.put(jsonIn(clusterScope, object));
    }
    const [tainted, free] = [member({ key: 'new', effect: 'NoSchedule' }), member()].map((draft) =>
      JSON.stringify(jsonIn(clusterScope, draft)),
    );
    expect(await stageguard(tainted ?? '', 'check', '-', '--kubeconfig', api.kubeconfig())).toBe(0);
    expect(out).not.toContain('[member-cluster-in-use]');
    expect(await stageguard(free ?? '', 'check', '-', '--kubeconfig', api.kubeconfig())).toBe(0);
    expect(out).toContain('[member-cluster-in-use] active run "release" would be aborted for good');
  });

  test.each([
    ['v0.3.1', 'its approvals and waits hold all the same'],
    ['v0.9.0', 'KubeFleet skips its approvals and waits\n'],
    ['latest', '(v0.3.1 and older do not)'],
    [undefined, '(v0.3.1 and older do not)'],
  ])('check and plan, by the version %s of its hub agent', async (tag, text) => {
    const gate = { beforeStageTasks: [{ type: 'Approval' }] };
    put(...sound, strategy('rings', stage('canary'), stage('empty', gate)));
    if (tag !== undefined) {
      const containers = [{ name: 'hub-agent', image: `hub-agent:${tag}` }];
      const path = '/apis/apps/v1/namespaces/fleet-system/deployments/hub-agent';
      api.pages.set(path, { spec: { template: { spec: { containers } } } });
    }
    for (const command of ['check', 'plan']) {
      expect(await stageguard(release, command, '-', '--kubeconfig', api.kubeconfig())).toBe(0);
      expect(out).toContain(text);
    }
  });

  test('plan', async () => {
    put(...sound);
    expect(await stageguard(release, 'plan', '-', '--kubeconfig', api.kubeconfig(), '--format', 'json')).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ stages: [{ name: 'canary', clusters: ['eu'] }] });
  });
});
