import { mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { commandsIn } from '../support/document-commands.js';
import { bundleIn } from './harness/guard.js';
import { programs } from './harness/hub.js';
import { paste, type Ran } from './harness/kubectl.js';
import { pathOf } from './harness/paths.js';
import { useHub } from './harness/use-hub.js';
import { joinMembers, placement, run, stage, strategy, yamlOf } from './harness/world.js';

const hub = useHub();
const stages = [stage('canary'), stage('production')];
const names = { placementName: 'web', stagedRolloutStrategyName: 'rings' };
let path = '';

beforeAll(async () => {
  await bundleIn(hub().folder);
  // As after `npm install --global`, which puts both programs of the package on the path.
  const bin = join(hub().folder, 'bin');
  mkdirSync(bin);
  const plugin = `#!/bin/sh\nexec '${process.execPath}' '${join(hub().folder, 'kubectl-stageguard.mjs')}' "$@"\n`;
  writeFileSync(join(bin, 'kubectl-stageguard'), plugin, { mode: 0o755 });
  path = [bin, dirname(programs.kubectl), process.env['PATH'] ?? ''].join(delimiter);

  await joinMembers(hub());
  const stored = [
    placement('team-a', 'web'),
    strategy('team-a', 'rings', stages),
    run(undefined, 'payments-v12', { ...names, placementName: 'payments' }),
  ];
  const { stderr } = await paste(hub(), 'admin', 'kubectl apply -f -', { stdin: yamlOf(...stored) });
  expect(stderr).toBe('');
  const { metadata, ...manifest } = run('team-a', 'web-v2', names);
  const { name } = metadata as { name: string };
  writeFileSync(join(hub().folder, 'run.yaml'), yamlOf({ ...manifest, metadata: { name } }));
}, 120_000);

const typed = (line: string): Promise<Ran> => paste(hub(), 'admin', line, { env: { PATH: path } });

test('what docs/package.md tells kubectl to do, kubectl does', async () => {
  const commands = commandsIn('docs/package.md').map(({ command }) => command);
  const [plan = '', diagnose = '', ...more] = commands.filter((command) => command.startsWith('kubectl stageguard '));
  expect(more).toEqual([]);

  const planned = await typed(plan);
  expect([planned.stderr, planned.stdout]).toEqual(['', expect.stringContaining('team-a/web-v2')]);
  // Only the hub that kubectl talks to knows of the placement, and that nobody has scheduled it.
  expect(planned.stdout).toContain('placement "web" is not scheduled yet');

  const diagnosed = await typed(diagnose);
  expect([diagnosed.stderr, diagnosed.stdout]).toEqual(['', expect.stringContaining('payments-v12')]);
}, 60_000);

test('-n and --kubeconfig mean what they mean to kubectl', async () => {
  const elsewhere = await typed('kubectl stageguard plan run.yaml -n default');
  expect(elsewhere.stdout).toContain('default/web-v2');
  expect(elsewhere.stdout).toContain('[run-strategy-exists]');

  const kubeconfig = hub().kubeconfig('admin');
  const named = await paste(hub(), 'admin', `kubectl stageguard plan run.yaml -n team-a --kubeconfig '${kubeconfig}'`, {
    env: { PATH: path, KUBECONFIG: '/dev/null' },
  });
  expect([named.stderr, named.stdout]).toEqual(['', expect.stringContaining('team-a/web-v2')]);
  const stored = await hub()
    .api('admin')
    .get(pathOf('UpdateRun', 'team-a', 'web-v2'));
  expect(stored.status).toBe(404);
}, 60_000);
