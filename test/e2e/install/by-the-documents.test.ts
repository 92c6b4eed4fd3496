import { expect, test } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { kubectl, type Ran } from '../harness/kubectl.js';
import { useHub } from '../harness/use-hub.js';
import { commandsOf } from './documents.js';
import { differences } from './differences.js';
import { ignoredByArgoCd, ignoredByFlux } from './examples.js';
import { objectsOf } from './rendered.js';
import { useDesk } from './use-desk.js';

const hub = useHub({ withControllers: true, losesRights: true });
const desk = useDesk(hub);

async function expectRefused(check: Promise<Ran>): Promise<void> {
  expect((await check).stderr).toContain('admission webhook "strategies.validate.stageguard.io" denied the request');
}

/** Where the API server finds the caBundle of each webhook, as JSON pointers. */
function bundlePaths(manifest: string): readonly string[] {
  const objects = objectsOf(manifest) as readonly { readonly kind: string; readonly webhooks?: readonly object[] }[];
  return objects
    .flatMap(({ kind, webhooks = [] }) =>
      webhooks.map((_webhook, index) => `${kind} stageguard: /webhooks/${index}/clientConfig/caBundle`),
    )
    .sort();
}

/** All that bears the name of the guard. */
async function leftOvers(): Promise<readonly string[]> {
  const ofHub =
    'clusterrole,clusterrolebinding,validatingwebhookconfiguration,mutatingwebhookconfiguration,' +
    'validatingadmissionpolicy,validatingadmissionpolicybinding';
  const ofNamespace = 'role,rolebinding,serviceaccount,service,deployment,pod,configmap,secret,lease,pdb,networkpolicy';
  const { stdout } = await kubectl(hub(), 'admin', ['get', `${ofHub},${ofNamespace}`, '-A', '-o', 'name']);
  return stdout.split('\n').filter((name) => name.includes('stageguard'));
}

test('journey: what docs/install.md, upgrade.md and uninstall.md say, to the letter, while people write', async () => {
  const { writers, paste, done, more, whenGone } = desk();
  const [install] = commandsOf('install.md', 'Step 1: install');
  const [helmTest, check] = commandsOf('install.md', 'Step 2: see that it is in force');
  const [logs] = commandsOf('install.md', 'Step 3: see that it knows the hub agent');
  const [audit] = commandsOf('install.md', 'Step 4: see what is there already');
  await done(install);
  expect(await done(helmTest)).toMatch(/Phase:\s+Succeeded/);
  await expectRefused(paste(check));
  expect(await done(logs)).toContain('the hub agent is who the settings say');
  expect((await paste(audit)).stdout).toMatch(/objects? judged/);
  await more('refused');
  expect(hub().forbidden()).toEqual([]);
  // docs/install.md says which fields a GitOps tool must be told to ignore, and the examples tell it.
  const manifest = await done('helm get manifest stageguard --namespace fleet-stageguard');
  const written = await differences(hub(), manifest);
  expect(written).toEqual([
    'MutatingWebhookConfiguration stageguard: webhooks[].clientConfig.caBundle',
    'ValidatingWebhookConfiguration stageguard: webhooks[].clientConfig.caBundle',
  ]);
  expect(ignoredByArgoCd()).toEqual(written);
  expect(ignoredByFlux()).toEqual(bundlePaths(manifest));

  await done(commandsOf('install.md', 'The brake')[0]);
  await more('letThrough');
  // What the floor judges by itself is refused until its own handle is pulled.
  expect(await paste(check)).toMatchObject({ code: 1, stderr: expect.stringContaining('[strategy-stages-present]') });
  await done(commandsOf('floor.md', 'The second handle of the brake')[0]);
  await eventually('the floor is out of force', async () => (await paste(check)).code === 0 || undefined);
  await done(commandsOf('upgrade.md', 'Upgrade')[0]);
  await more('refused');

  await done(commandsOf('uninstall.md', 'Uninstall')[0]);
  await whenGone();
  const [, whereTheNamespaceStays] = commandsOf('uninstall.md', 'What is left');
  await done(whereTheNamespaceStays);
  expect(await leftOvers()).toEqual([]);
  expect(writers.faults).toEqual([]);
}, 180_000);
