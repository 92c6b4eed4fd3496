import { join } from 'node:path';
import { readFileSync, writeFileSync } from 'node:fs';
import { Agent } from 'undici';
import { connect } from '../../e2e/harness/api.js';
import { eventually } from '../../e2e/harness/eventually.js';
import { freePorts, programs, serverFlags, type Hub } from '../../e2e/harness/hub.js';
import { startLeashed } from '../../e2e/harness/leash.js';
import { kubeconfigOf, tokenOf, userIds } from '../../e2e/harness/users.js';
import { startLaggingEtcd, type LaggingEtcd } from './lagging-etcd.js';

/** Another API server of the same hub, which hears late of what was written through the first. */
export interface SecondServer {
  /** The hub, as it is seen through this server. */
  readonly hub: Hub;
  readonly etcd: LaggingEtcd;
  /** Stops it in the middle of whatever it does, and lets it go on. */
  pause(): void;
  resume(): void;
  stop(): Promise<void>;
}

export async function startSecondServer(hub: Hub, requestSeconds: number): Promise<SecondServer> {
  const etcd = await startLaggingEtcd(hub.etcdPort);
  const [port = 0] = await freePorts(1);
  const server = `https://127.0.0.1:${port}`;
  // It finds the keys of the first and shows the same certificate.
  const flags = [...serverFlags(hub.folder, etcd.port, port), `--request-timeout=${requestSeconds}s`];
  const audit = `--audit-log-path=${join(hub.folder, 'second-audit.log')}`;
  const log = join(hub.folder, 'second-apiserver.log');
  const running = startLeashed(programs['kube-apiserver'], [...flags, audit], { log });
  const certificate = join(hub.folder, 'keys', 'apiserver.crt');
  const agent = new Agent({ connect: { ca: readFileSync(certificate) } });
  const kubeconfig: Hub['kubeconfig'] = (user) => join(hub.folder, `${user}-second.kubeconfig`);
  for (const user of userIds) writeFileSync(kubeconfig(user), kubeconfigOf(user, { server, certificate }));
  const api: Hub['api'] = (user) => connect({ server, token: tokenOf(user), agent });
  await eventually('the second API server is ready', async () => {
    const death = running.died();
    if (death !== undefined) throw new Error(death);
    const answer = await api('admin')
      .get('/readyz')
      .catch(() => undefined);
    return answer?.status === 200 || undefined;
  });
  return {
    hub: { ...hub, server, kubeconfig, api },
    etcd,
    pause: () => {
      running.signal('SIGSTOP');
    },
    resume: () => {
      running.signal('SIGCONT');
    },
    async stop() {
      await running.stop();
      await agent.close();
      etcd.stop();
    },
  };
}
