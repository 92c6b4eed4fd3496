import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { loopbackPair } from '../e2e/harness/certificate.js';
import { eventually } from '../e2e/harness/eventually.js';
import { freePorts } from '../e2e/harness/hub.js';
import { ArgoCd } from '../e2e/install/argo-cd.js';
import { commandsOf } from '../e2e/install/documents.js';
import { useDesk } from '../e2e/install/use-desk.js';
import { useHub } from '../e2e/harness/use-hub.js';

const hub = useHub({ withControllers: true, losesRights: true });
const desk = useDesk(hub);
const helm = (verb: string, ...more: readonly string[]): string =>
  ['helm', verb, 'stageguard', ...more, '--namespace fleet-stageguard'].join(' ');
const image = '--set image.repository=registry.example.com/stageguard';
const install = helm('install', 'charts/stageguard', '--create-namespace', '--wait', image);

const hooksOf = (folder: string): string => `${folder}/stageguard/files/hooks.yaml`;

/** While webhooks are in force, nothing wrong is let through, whatever happens to the pods. */
async function withoutGap(change: () => Promise<unknown>): Promise<void> {
  const { writers } = desk();
  const before = writers.letThrough;
  await change();
  expect(writers.letThrough).toBe(before);
}

describe('no write fails because of the guard', () => {
  test('with Helm: install, test, upgrade, rollback, uninstall, and the same again', async () => {
    const { done, more, whenGone, writers } = desk();
    await more('letThrough');
    // An older chart, which lacked a webhook.
    await done(
      `cp -r charts older && sed -i '/deletions.validate/,/placements.validate/{/- name: placements/!d}' ${hooksOf('older')}`,
    );
    await done(install.replace('charts', 'older'));
    expect(await done(helm('test'))).toMatch(/Phase:\s+Succeeded/);
    await more('refused');
    await withoutGap(async () => {
      await done(helm('upgrade', 'charts/stageguard', '--wait', image, '--set podLabels.wave=two'));
      await eventually('the new webhook has its caBundle', async () => {
        const bundles = await done(
          "kubectl get validatingwebhookconfiguration stageguard -o jsonpath='{.webhooks[*].clientConfig.caBundle}'",
        );
        return bundles.split(' ').length === 10 || undefined;
      });
      await done(helm('rollback', '1', '--wait'));
      await done(helm('rollback', '2', '--wait'));
      await more('refused');
    });
    expect(hub().forbidden()).toEqual([]);
    // Off and on again, as docs/upgrade.md has it for what cannot be changed in place; the values stay.
    const [offAndOn] = commandsOf('upgrade.md', 'Another `certificates.mode`');
    await done(offAndOn?.replace('cert-manager', 'self'));
    await more('refused');
    expect(await done(helm('get values'))).toContain('wave: two');
    await done(helm('uninstall'));
    await whenGone();
    expect(writers.faults).toEqual([]);
  }, 240_000);

  test('with kubectl: apply, apply again, and delete by the same file', async () => {
    const { done, more, whenGone, writers } = desk();
    const [apply] = commandsOf('install.md', 'With kubectl');
    await done(apply);
    await more('refused');
    await withoutGap(async () => {
      await done(apply);
      // As Flux and Argo CD apply: nothing that was written at run time is taken away.
      await done(apply?.replace('apply', 'apply --server-side --force-conflicts'));
      await more('refused', 20);
    });
    await done(commandsOf('uninstall.md', 'Uninstall')[1]);
    await whenGone();
    expect(writers.faults).toEqual([]);
  }, 180_000);

  test('with Argo CD: sync, sync again, and deletion, by waves', async () => {
    const { more, whenGone, writers } = desk();
    const argoCd = new ArgoCd(desk());
    await argoCd.sync();
    await more('refused');
    await withoutGap(async () => {
      await argoCd.sync();
      await more('refused');
    });
    await argoCd.remove();
    await whenGone();
    expect(writers.faults).toEqual([]);
  }, 180_000);

  test('when somebody deletes the namespace', async () => {
    const { done, more, whenGone, writers } = desk();
    await done(install);
    await more('refused');
    await done('kubectl delete namespace fleet-stageguard');
    await whenGone();
    // What is left is taken over, and waits for the new guard.
    await done(install);
    await more('refused');
    await done(commandsOf('uninstall.md', 'Uninstall')[2]);
    await whenGone();
    expect(writers.faults).toEqual([]);
    // Twice the pods of a guard that lost its rights with the namespace, which wait for idle connections to be closed.
  }, 240_000);

  test('with a guard outside the cluster, by the commands of docs/install.md', async () => {
    const { done, paste, more, whenGone, writers, folder } = desk();
    const [port = 0, metricsPort = 0] = await freePorts(2);
    const { cert, key } = await loopbackPair();
    mkdirSync(join(folder, 'tls'));
    writeFileSync(join(folder, 'tls', 'tls.crt'), cert);
    writeFileSync(join(folder, 'tls', 'tls.key'), key);
    writeFileSync(join(folder, 'ca.crt'), cert);
    const [first, kubeconfig, serve, force] = commandsOf('install.md', 'A guard outside the cluster');
    await done(first?.replace('guard.example.com:8443', `127.0.0.1:${port}`));
    await done(kubeconfig);
    await more('letThrough');
    // The guard goes with the shell that has started it.
    const here = `--host 127.0.0.1 --port ${port} --metrics-port ${metricsPort}`;
    const guard = paste(`${serve?.trim()} ${here} & echo $! > guard.pid; wait`);
    await eventually('it is ready', async () => {
      const { code } = await paste(`curl -sfk https://127.0.0.1:${port}/readyz`);
      return code === 0 || undefined;
    });
    await done(force);
    await more('refused');
    await done(helm('uninstall'));
    await whenGone();
    await done('kill "$(cat guard.pid)"');
    await guard;
    expect(writers.faults).toEqual([]);
  }, 120_000);
});
