import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { run, type Captured } from '../support/captured-io.js';
import { startExampleGuard } from '../support/example-guard.js';

let guard: Awaited<ReturnType<typeof startExampleGuard>>;
let folder: string;
beforeAll(async () => {
  guard = await startExampleGuard();
  folder = await mkdtemp(join(tmpdir(), 'stageguard-'));
});
afterAll(async () => {
  await guard.stop();
  await rm(folder, { recursive: true });
});

const tried = (file: string, ...more: string[]): Promise<Captured> =>
  run(['try', file, '--server', guard.url, ...more]);
const piped = (input: string, ...more: string[]): Promise<Captured> =>
  run(['try', '-', '--server', guard.url, ...more], { input });

const run42 = (spec: string, name = 'storefront-v42'): string =>
  `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ClusterStagedUpdateRun\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

describe('a manifest', () => {
  test('that is refused reads as kubectl would print it', async () => {
    const { code, out, err } = await tried('examples/bad/run-snapshot-index.yaml');
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(
      /^Error from server \(Forbidden\): error when creating "examples\/bad\/run-snapshot-index\.yaml": admission webhook "run-starts\.validate\.stageguard\.io" denied the request: refused by 1 rule: ClusterStagedUpdateRun storefront-v15-index\n\[run-snapshot-index\]/,
    );
  });

  test('that is admitted says so, what it will do, and that nothing is stored', async () => {
    const { code, out, err } = await tried('examples/good/run-explicit-index.yaml');
    expect(code).toBe(0);
    expect(err).toMatch(/^Warning: plan: staging 2 [^\n]+\n$/);
    expect(out).toBe(
      'clusterstagedupdaterun.placement.kubernetes-fleet.io/storefront-v15-2 created (not stored: this is a trial)\n',
    );
  });

  test('that is admitted with warnings shows them as kubectl does', async () => {
    const { code, err } = await tried('examples/warn/run-not-started.yaml');
    expect(code).toBe(0);
    expect(err).toContain('Warning: [run-not-started] ');
  });

  test('of a stored object is an update of it', async () => {
    const { code, out } = await tried('examples/good/run-namespaced-start-prepared.yaml');
    expect([code, out]).toEqual([0, expect.stringContaining('/web-v8 configured (not stored: this is a trial)')]);
  });

  test('can be deleted, and only what is stored can', async () => {
    const stored = run42('{}', 'payments-v12');
    expect((await piped(stored, '--operation', 'delete')).out).toContain('/payments-v12 deleted');
    const gone = await piped(run42('{}'), '--operation', 'delete');
    expect([gone.code, gone.err]).toEqual([
      1,
      'Error from server (NotFound): clusterstagedupdateruns.placement.kubernetes-fleet.io "storefront-v42" not found\n',
    ]);
  });

  test('on dry run is only warned of what rests on stored objects', async () => {
    const { code, out, err } = await tried('examples/bad/run-placement-free.yaml', '--dry-run');
    expect([code, out]).toEqual([0, expect.stringContaining('created (server dry run)')]);
    expect(err).toContain('Warning: [run-placement-free]');
  });

  test('with generateName gets a name', async () => {
    const text = run42('{placementName: storefront, stagedRolloutStrategyName: nowhere}').replace(
      'name:',
      'generateName:',
    );
    expect((await piped(text)).err).toMatch(/ClusterStagedUpdateRun storefront-v42[0-9a-f]{5}\n/);
  });

  test('through v1alpha1 is refused', async () => {
    const text = run42(
      '{placementName: storefront, stagedRolloutStrategyName: rings, resourceSnapshotIndex: "1"}',
    ).replace('io/v1', 'io/v1alpha1');
    expect((await piped(text)).err).toContain('[run-api-version]');
  });

  test('of another kind is passed over', async () => {
    const { code, out } = await piped('apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n');
    expect([code, out]).toEqual([0, 'ConfigMap x: not a kind that stageguard is asked about\n']);
  });
});

describe('an approval', () => {
  const approval = (status: string): string =>
    `apiVersion: placement.kubernetes-fleet.io/v1\nkind: ApprovalRequest\nmetadata: {name: api-v3-after-canary, namespace: team-a}\nspec: {parentStageRollout: api-v3, targetStage: canary}\nstatus: ${status}\n`;
  const granted = approval('{conditions: [{type: Approved, status: "True"}]}');

  test('through the status subresource is stamped', async () => {
    const { code, err } = await piped(granted, '--subresource', 'status', '--user', 'bob');
    expect(code).toBe(0);
    expect(err).toContain('Warning: [stamp-approval] condition Approved: set observedGeneration to 1');
  });

  test('on the main resource is told what works', async () => {
    const { code, err } = await piped(granted);
    expect(code).toBe(0);
    expect(err).toContain('Use: kubectl patch approvalrequests api-v3-after-canary -n team-a --subresource=status');
  });

  test('as a review is sent as it is', async () => {
    const { code, out, err } = await tried('examples/reviews/stamp-approval.json');
    expect([code, out]).toEqual([0, expect.stringContaining('approvalrequest.placement.kubernetes-fleet.io/')]);
    expect(err).toContain('Warning: [stamp-approval]');
  });
});

describe('what cannot be tried ends with 2 and says why', () => {
  test.each<[string, string[], string]>([
    ['a file that is not there', ['nowhere.yaml'], 'nowhere.yaml'],
    [
      'a server that does not answer',
      ['examples/good', '--server', 'https://127.0.0.1:1'],
      'no guard answers at https://127.0.0.1:1',
    ],
    ['an address that is not https', ['examples/good', '--server', 'http://127.0.0.1:1'], 'not an https address'],
    ['certificates that are not there', ['examples/good', '--ca', 'nowhere.pem'], 'nowhere.pem: cannot be read'],
    ['an unknown operation', ['examples/good', '--operation', 'patch'], "'patch' is invalid"],
  ])('%s', async (_, argv, said) => {
    const { code, err } = await run(['try', ...argv]);
    expect(code).toBe(2);
    expect(err).toContain(said);
  });

  test('a guard whose certificate is not the one to trust', async () => {
    const other = await startExampleGuard();
    const ca = join(folder, 'ca.pem');
    await writeFile(ca, other.pair.cert);
    await other.stop();
    expect((await tried('examples/good/run-explicit-index.yaml', '--ca', ca)).code).toBe(2);
    await writeFile(ca, guard.pair.cert);
    expect((await tried('examples/good/run-explicit-index.yaml', '--ca', ca)).code).toBe(0);
  });
});
