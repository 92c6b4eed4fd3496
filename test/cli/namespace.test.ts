import { describe, expect, test } from '@jest/globals';
import { run } from '../support/captured-io.js';

const manifest = (namespace: string): string => `apiVersion: placement.kubernetes-fleet.io/v1beta1
kind: StagedUpdateRun
metadata:
  name: web-v9${namespace}
spec:
  placementName: web
  stagedRolloutStrategyName: team-rings
  resourceSnapshotIndex: "2"
  state: Run
`;

const plan = (text: string, ...more: readonly string[]) =>
  run(['plan', '-', '--fleet', 'examples/fleet', ...more], { input: text });

describe('-n', () => {
  test('is where an object goes that names no namespace', async () => {
    expect((await plan(manifest(''), '-n', 'team-a')).out).toContain('team-a/web-v9');
    const { code, out } = await plan(manifest(''));
    expect(code).toBe(1);
    expect(out).toContain('default/web-v9');
  });

  test('refuses, as kubectl does, what names another', async () => {
    for (const command of ['plan', 'check']) {
      const args = [command, '-', '--fleet', 'examples/fleet', '-n', 'team-b'];
      const { code, out, err } = await run(args, { input: manifest('\n  namespace: team-a') });
      expect(code).toBe(2);
      expect(out + err).toContain('metadata.namespace: "team-a" is not the namespace that -n names, "team-b"');
    }
    expect((await plan(manifest('\n  namespace: team-a'), '--namespace', 'team-a')).code).toBe(0);
  });

  test('says nothing of objects without namespaces', async () => {
    const example = ['plan', 'examples/good/run-explicit-index.yaml', '--fleet', 'examples/fleet'];
    expect(await run([...example, '-n', 'team-b'])).toEqual(await run(example));
  });
});

describe('as a plugin of kubectl', () => {
  const asPlugin = { isPlugin: true };

  test('calls itself by the words that were typed', async () => {
    expect((await run(['check', '--help'], asPlugin)).out).toContain('Usage: kubectl stageguard check ');
    expect((await run(['check', '--help'])).out).toContain('Usage: stageguard check ');
  });

  test('asks the hub that kubectl talks to, unless files describe one', async () => {
    const before = process.env['KUBECONFIG'];
    process.env['KUBECONFIG'] = '/nowhere/config';
    try {
      const { code, err } = await run(['plan', 'examples/good/run-explicit-index.yaml'], asPlugin);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('/nowhere/config') as unknown });
      const files = ['plan', 'examples/good/run-explicit-index.yaml', '--fleet', 'examples/fleet'];
      expect((await run(files, asPlugin)).code).toBe(0);
    } finally {
      if (before === undefined) delete process.env['KUBECONFIG'];
      else process.env['KUBECONFIG'] = before;
    }
  });
});
