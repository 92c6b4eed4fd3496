import { mkdtempSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { bundleIn } from '../guard.js';
import type { Answer, Json } from '../api.js';
import { freePorts, type Hub } from '../hub.js';
import { startLeashed, type Leashed } from '../leash.js';

const namespace = 'fleet-stageguard';
const pods = `/api/v1/namespaces/${namespace}/pods`;
const deploymentPath = `/apis/apps/v1/namespaces/${namespace}/deployments/stageguard`;
const servicePath = `/api/v1/namespaces/${namespace}/services/stageguard`;

interface Deployment {
  readonly metadata: { readonly uid: string; readonly generation: number };
  readonly spec: {
    readonly replicas: number;
    readonly template: {
      readonly metadata: { readonly labels: Json };
      readonly spec: { readonly containers: readonly [{ readonly args: readonly string[] }] };
    };
  };
}

interface RunningPod {
  readonly name: string;
  readonly template: string;
  readonly process: Leashed;
  readonly port: number;
  isReady: boolean;
  end: Promise<void> | undefined;
}

/**
 * Stands in for a node and for the controllers of Deployments: it runs what the Deployment says as a process, one
 * replica, rolls it without a gap, ends it as a kubelet does, and leads connections to the Service to whoever is ready.
 */
export class StandInNode {
  readonly errors: string[] = [];
  private readonly running: RunningPod[] = [];
  private readonly agent = new Agent({ connect: { rejectUnauthorized: false } });
  private readonly proxy: Server;
  private loop: Promise<void> = Promise.resolve();
  private isStopped = false;
  private count = 0;

  private constructor(
    private readonly hub: Hub,
    private readonly program: string,
    /** The port of the Service. */
    readonly port: number,
  ) {
    this.proxy = createServer((socket) => {
      const pod = this.running.findLast(({ isReady }) => isReady);
      socket.on('error', () => undefined);
      if (pod === undefined) {
        socket.destroy();
        return;
      }
      const target = connect(pod.port, '127.0.0.1');
      target.on('error', () => socket.destroy());
      socket.pipe(target).pipe(socket);
    });
  }

  static async start(hub: Hub): Promise<StandInNode> {
    const [port = 0] = await freePorts(1);
    const node = new StandInNode(hub, await bundleIn(hub.folder), port);
    await new Promise<void>((resolve) => node.proxy.listen(port, '127.0.0.1', resolve));
    node.loop = node.run();
    return node;
  }

  get isEmpty(): boolean {
    return this.running.length === 0;
  }

  /** One pod, and it answers. */
  get isSettled(): boolean {
    return this.running.length === 1 && this.running[0]?.isReady === true;
  }

  /** How many pods there have been. */
  get started(): number {
    return this.count;
  }

  logs(): string {
    return this.running.map(({ process }) => process.died() ?? '').join('\n');
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.loop;
    await Promise.all(this.running.map(({ process }) => process.stop()));
    this.proxy.close();
    await this.agent.close();
  }

  private async run(): Promise<void> {
    while (!this.isStopped) {
      try {
        await this.look();
      } catch (error) {
        this.errors.push(String(error));
      }
      await sleep(50);
    }
  }

  private async look(): Promise<void> {
    const admin = this.hub.api('admin');
    const deployment = await found<Deployment>(admin.get(deploymentPath));
    await this.leadService();
    if (deployment !== undefined) await this.roll(deployment);
    for (const pod of [...this.running]) {
      if (!pod.isReady && pod.end === undefined) pod.isReady = await this.answers(pod);
      const stored = await found<{ metadata: { deletionTimestamp?: string } }>(admin.get(`${pods}/${pod.name}`));
      if (stored?.metadata.deletionTimestamp !== undefined) pod.end ??= this.finish(pod);
    }
  }

  /** There is no kube-proxy: the name of the Service leads to this machine. */
  private async leadService(): Promise<void> {
    const admin = this.hub.api('admin');
    const service = await found<{ spec: { type: string } }>(admin.get(servicePath));
    if (service === undefined || service.spec.type === 'ExternalName') return;
    const spec = { type: 'ExternalName', externalName: 'localhost', clusterIP: null, clusterIPs: null };
    await admin.patch(servicePath, 'merge', { spec });
  }

  /** One pod of the template of now, and those before it until it is ready. */
  private async roll(deployment: Deployment): Promise<void> {
    const template = JSON.stringify([deployment.metadata.uid, deployment.spec.template]);
    const current = this.running.find((pod) => pod.template === template && pod.end === undefined);
    if (current === undefined) {
      await this.startPod(deployment, template);
      return;
    }
    await this.report(deployment);
    if (!current.isReady) return;
    for (const old of this.running.filter((pod) => pod !== current && pod.end === undefined)) {
      await this.hub.api('admin').delete(`${pods}/${old.name}`);
    }
  }

  /** The one process stands for all replicas. */
  private async report({ metadata, spec }: Deployment): Promise<void> {
    const available = this.running.some(({ isReady }) => isReady) ? spec.replicas : 0;
    const updated = this.isSettled ? spec.replicas : 0;
    const status = {
      observedGeneration: metadata.generation,
      replicas: spec.replicas,
      updatedReplicas: updated,
      readyReplicas: available,
      availableReplicas: available,
    };
    await this.hub.api('admin').patch(`${deploymentPath}/status`, 'merge', { status });
  }

  private async startPod({ metadata, spec }: Deployment, template: string): Promise<void> {
    const name = `stageguard-${++this.count}`;
    const owner = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'stageguard', uid: metadata.uid };
    const created = await this.hub.api('admin').create(pods, {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, labels: spec.template.metadata.labels, ownerReferences: [owner] },
      // Only the pods of a node end in grace.
      spec: { ...spec.template.spec, nodeName: 'node' },
    });
    // As in a namespace that is being deleted.
    if (created.status >= 300) return;
    const folder = mkdtempSync(join(this.hub.folder, `${name}-`));
    const [port = 0, metricsPort = 0] = await freePorts(2);
    writeFileSync(join(folder, 'config.yaml'), await this.config());
    const here = ['--host=127.0.0.1', `--kubeconfig=${this.hub.kubeconfig('guard')}`];
    const args = spec.template.spec.containers[0].args.map((arg) =>
      arg
        .replace(/^--config=.*$/, `--config=${join(folder, 'config.yaml')}`)
        .replace(/^--port=.*$/, `--port=${port}`)
        .replace(/^--metrics-port=.*$/, `--metrics-port=${metricsPort}`)
        .replace(/^--drain=.*$/, '--drain=2s'),
    );
    const process_ = startLeashed(process.execPath, [this.program, ...args, ...here], {
      log: join(this.hub.folder, `${name}.log`),
    });
    this.running.push({ name, template, process: process_, port, isReady: false, end: undefined });
  }

  private async config(): Promise<string> {
    const path = `/api/v1/namespaces/${namespace}/configmaps/stageguard`;
    const map = await found<{ data: Record<string, string> }>(this.hub.api('admin').get(path));
    return map?.data['config.yaml'] ?? '';
  }

  /** SIGTERM, and the pod is gone when the process is. */
  private async finish(pod: RunningPod): Promise<void> {
    await pod.process.stop(30_000);
    this.running.splice(this.running.indexOf(pod), 1);
    await this.hub.api('admin').delete(`${pods}/${pod.name}?gracePeriodSeconds=0`);
  }

  private async answers({ port, process: process_ }: RunningPod): Promise<boolean> {
    const death = process_.died();
    if (death !== undefined) this.errors.push(death);
    try {
      const answer = await request(`https://127.0.0.1:${port}/readyz`, { dispatcher: this.agent });
      await answer.body.dump();
      return answer.statusCode === 200;
    } catch {
      return false;
    }
  }
}

async function found<T>(asked: Promise<Answer>): Promise<T | undefined> {
  const { status, body } = await asked;
  return status === 200 ? (body as unknown as T) : undefined;
}
