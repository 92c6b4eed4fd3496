import { beforeAll, expect, test } from '@jest/globals';
import { run as stageguard } from '../../support/captured-io.js';
import type { Json } from '../harness/api.js';
import { eventually } from '../harness/eventually.js';
import { chart, hooksOf, reconcile, release, sync } from '../harness/gitops-tools.js';
import { kubectl } from '../harness/kubectl.js';
import { headOf, pathOf } from '../harness/paths.js';
import { useGuardedHub } from '../harness/use-guarded-hub.js';
import { conditionOf, yamlOf } from '../harness/world.js';
import { cloneOfExample, commandOf, type Repository } from './repository.js';

const it = useGuardedHub();
beforeAll(async () => {
  it().agent.schedulerMilliseconds = 1000;
  const members = ['staging', 'canary', 'production'].map((environment) => ({
    ...headOf('MemberCluster', undefined),
    metadata: { name: `${environment}-1`, labels: { environment } },
    spec: { identity: { kind: 'User', name: environment } },
  }));
  expect(await kubectl(it().hub, 'admin', ['apply', '-f', '-'], { stdin: yamlOf(...members) })).toMatchObject({
    code: 0,
  });
}, 30_000);

const done = { code: 0, stderr: expect.not.stringContaining('refused') };

async function stateOf(name: string): Promise<unknown> {
  const { body } = await it()
    .hub.api('admin')
    .get(pathOf('UpdateRun', undefined, name));
  return (body['spec'] as Json | undefined)?.['state'];
}

const underWay = (name: string): Promise<void> => conditionOf(it().hub, 'UpdateRun', undefined, [name, 'Initialized']);

/** What the check of a commit says when its Job runs. */
async function checked(): Promise<{ readonly code: number; readonly out: string }> {
  const { code, out, err } = await stageguard(await commandOf(it().hub, 'stageguard-check'), { now: Date.now });
  expect(err).toBe('');
  return { code, out };
}

/** The next release, as a commit. */
function release2(repository: Repository, suffix: string): void {
  repository.edit('releases/runs/shop.yaml', (text) =>
    text.replace(`name: shop-${suffix}-1`, `name: shop-${suffix}-2`),
  );
}

test('journey: examples/gitops with kubectl apply -k, at once, and again', async () => {
  const { folder } = cloneOfExample(it().hub, 'kubectl');
  const args = ['apply', '-k', folder];
  expect(await kubectl(it().hub, 'admin', args)).toMatchObject(done);
  await underWay('shop-kubectl-1');
  const again = await kubectl(it().hub, 'admin', args);
  expect(again).toMatchObject(done);
  expect(again.stdout.split('\n').filter((line) => line !== '' && !line.endsWith(' unchanged'))).toEqual([]);
}, 60_000);

test('journey: examples/gitops as a chart, its run as a hook', async () => {
  const repository = cloneOfExample(it().hub, 'helm');
  const fleet = await repository.build('fleet');
  // Helm makes namespaces itself, and a chart of the shop would hold no namespace either.
  const [namespaces, rest] = [true, false].map((is) => fleet.filter(({ kind }) => (kind === 'Namespace') === is));
  const [run = {}] = await repository.build('releases/runs');
  const hook = {
    ...run,
    metadata: { name: 'shop-helm-1', annotations: { 'helm.sh/hook': 'post-install,post-upgrade' } },
  };
  expect(
    await kubectl(it().hub, 'admin', ['apply', '-f', '-'], { stdin: yamlOf(...(namespaces ?? [])) }),
  ).toMatchObject(done);
  const folder = chart(it().hub, [...(rest ?? []), hook]);
  expect(await release(it().hub, ['install'], 'shop', folder)).toMatchObject(done);
  await underWay('shop-helm-1');
}, 60_000);

test('journey: examples/gitops with Argo CD: the hook holds a sync until the hub is ready for it, and one run goes after the other', async () => {
  const { hub } = it();
  const repository = cloneOfExample(hub, 'argo');
  const sender = { user: 'admin', isServerSide: false } as const;
  const applications = repository.documents('argocd/applications.yaml') as unknown as readonly Application[];
  const [fleet = '', releases = ''] = applications.map(({ spec }) => spec.source.path);
  const attempt = async (): Promise<{ code: number; out: string }> => {
    const objects = await repository.build(releases);
    const hooks = hooksOf(objects, 'PreSync');
    // BeforeHookCreation
    await kubectl(hub, 'admin', ['delete', '--ignore-not-found', '-f', '-'], { stdin: yamlOf(...hooks) });
    expect(await sync(hub, hooks, sender)).toMatchObject(done);
    const check = await checked();
    if (check.code !== 0) return check;
    const rest = objects.filter((object) => !hooks.includes(object));
    expect(await sync(hub, rest, sender)).toMatchObject(done);
    return check;
  };
  expect(await attempt()).toMatchObject({ code: 1, out: expect.stringContaining('[run-strategy-exists]') });
  expect(await stateOf('shop-argo-1')).toBeUndefined();

  expect(await sync(hub, await repository.build(fleet), sender)).toMatchObject(done);
  await eventually('a sync of the releases', async () => (await attempt()).code === 0 || undefined);
  await underWay('shop-argo-1');
  // Every sync after that finds nothing to object to.
  expect(await attempt()).toMatchObject({ code: 0 });

  release2(repository, 'argo');
  expect(await attempt()).toMatchObject({ code: 1, out: expect.stringContaining('[run-placement-free]') });
  expect(await stateOf('shop-argo-2')).toBeUndefined();
}, 120_000);

test('journey: examples/gitops with Flux: each Kustomization waits for the one before, and a stop by hand stands', async () => {
  const { hub } = it();
  const repository = cloneOfExample(hub, 'flux');
  const kustomizations = repository.documents('flux/kustomizations.yaml') as unknown as readonly Kustomization[];
  const [fleet, check, releases] = kustomizations;
  if (fleet === undefined || check === undefined || releases === undefined) throw new Error('three are expected');
  expect(kustomizations.map(({ spec }) => spec.dependsOn?.map(({ name }) => name))).toEqual([
    undefined,
    [fleet.metadata.name],
    [check.metadata.name],
  ]);
  const reconciled = async ({ spec }: Kustomization): Promise<unknown> =>
    reconcile(hub, await repository.build(spec.path, spec.patches), 'admin');

  expect(await reconciled(fleet)).toMatchObject(done);
  await eventually('the check passes', async () => {
    // What `force` does with a Job, and its time to live.
    await kubectl(hub, 'admin', ['delete', '-n', 'fleet-stageguard', 'job', 'stageguard-check', '--ignore-not-found']);
    expect(await reconciled(check)).toMatchObject(done);
    return (await checked()).code === 0 || undefined;
  });
  expect(await stateOf('shop-flux-1')).toBeUndefined();
  expect(await reconciled(releases)).toMatchObject(done);
  await underWay('shop-flux-1');

  const stop = ['patch', 'clusterstagedupdateruns', 'shop-flux-1', '--type=merge', '-p', '{"spec":{"state":"Stop"}}'];
  expect(await kubectl(hub, 'admin', stop)).toMatchObject(done);
  expect(await reconciled(releases)).toMatchObject(done);
  expect(await stateOf('shop-flux-1')).toBe('Stop');

  // Without the annotation Flux takes the stop back, unless it has been told to leave the run alone.
  repository.edit('releases/runs/shop.yaml', (text) => text.replace(/.*ssa: IfNotPresent\n/, ''));
  const ssa = 'kustomize.toolkit.fluxcd.io/ssa-';
  expect(await kubectl(hub, 'admin', ['annotate', 'clusterstagedupdateruns', 'shop-flux-1', ssa])).toMatchObject(done);
  expect(await reconciled(releases)).toMatchObject(done);
  expect(await stateOf('shop-flux-1')).toBe('Run');
  const leave = 'kustomize.toolkit.fluxcd.io/reconcile=disabled';
  expect(await kubectl(hub, 'admin', ['annotate', 'clusterstagedupdateruns', 'shop-flux-1', leave])).toMatchObject(
    done,
  );
  expect(await kubectl(hub, 'admin', stop)).toMatchObject(done);
  expect(await reconciled(releases)).toMatchObject(done);
  expect(await stateOf('shop-flux-1')).toBe('Stop');
}, 120_000);

interface Application {
  readonly spec: { readonly source: { readonly path: string } };
}

interface Kustomization {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly path: string;
    readonly patches?: readonly object[];
    readonly dependsOn?: readonly { readonly name: string }[];
  };
}
