import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loopbackPair } from './certificate.js';
import { installRights, installWebhooks, renderChart } from './chart.js';
import { eventually } from './eventually.js';
import { startGuardProcess } from './guard-process.js';
import { bundleIn, isAsked } from './guard.js';
import { freePorts, type Hub } from './hub.js';
import type { Leashed } from './leash.js';
import { startServiceProxy, type ServiceProxy } from './service-proxy.js';

/** Guards that share a hub, behind one address. */
export interface Replicas {
  /** Ends one without warning and starts it anew at the same place. */
  kill(index: number): void;
  /** Waits until all of them answer. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

export async function startReplicas(hub: Hub, count: number, config: object): Promise<Replicas> {
  const folder = mkdtempSync(join(hub.folder, 'replicas-'));
  const { cert, key } = await loopbackPair();
  writeFileSync(join(folder, 'tls.crt'), cert);
  writeFileSync(join(folder, 'tls.key'), key);
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
  const proxy = await startServiceProxy();
  const chart = await renderChart(hub, { url: `https://127.0.0.1:${proxy.port}`, certificate: cert });
  await installRights(hub, chart);
  const start = starter(hub, folder, await bundleIn(hub.folder));
  const ports = await freePorts(2 * count);
  const running = Array.from({ length: count }, (_, index) => start(ports.slice(2 * index, 2 * index + 2)));
  for (let index = 0; index < count; index++) proxy.add(ports[2 * index] ?? 0);
  const ready = () => whenReady(proxy, running);
  await ready();
  await installWebhooks(hub, chart);
  await eventually('the guards are asked', () => isAsked(hub));
  return {
    ready,
    kill(index) {
      running[index]?.signal('SIGKILL');
      proxy.down(ports[2 * index] ?? 0);
      running[index] = start(ports.slice(2 * index, 2 * index + 2));
    },
    async stop() {
      await Promise.all(running.map((replica) => replica.stop()));
      await proxy.stop();
    },
  };
}

function starter(hub: Hub, folder: string, program: string): (ports: readonly number[]) => Leashed {
  return ([port = 0, metricsPort = 0]) => {
    const flags = { config: join(folder, 'config.yaml'), 'tls-dir': folder, drain: '0s' };
    const log = join(folder, `${port}.log`);
    return startGuardProcess(hub, { program, ports: [port, metricsPort], log, flags });
  };
}

async function whenReady(proxy: ServiceProxy, running: readonly Leashed[]): Promise<void> {
  await eventually(
    'all replicas are ready',
    () => {
      const death = running.map((replica) => replica.died()).find((text) => text !== undefined);
      if (death !== undefined) throw new Error(death);
      return Promise.resolve(proxy.ready() === running.length ? true : undefined);
    },
    60,
  );
}
