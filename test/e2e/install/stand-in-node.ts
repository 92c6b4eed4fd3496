import { readFileSync } from 'node:fs';
import { createServer as createHttps } from 'node:https';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { loopbackPair } from '../harness/certificate.js';
import { bundleIn } from '../harness/guard.js';
import type { Answer, Json } from '../harness/api.js';
import { expectStored, freePorts, type Hub } from '../harness/hub.js';
import { programOfNow, startPod, type Pod, type PodProcess, type Programs } from './pod-process.js';

const namespace = 'fleet-stageguard';
const pods = `/api/v1/namespaces/${namespace}/pods`;
const servicePath = `/api/v1/namespaces/${namespace}/services/stageguard`;

interface RunningPod extends PodProcess {
  readonly name: string;
  readonly graceSeconds: number;
  isReady: boolean;
  isDone: boolean;
  end: Promise<void> | undefined;
}

/**
 * Stands in for a node with its scheduler, kubelet and kube-proxy: it runs pods as processes, says how they are, ends
 * them as a kubelet does, hands out their logs, and leads connections to the Service to those that are ready. What makes
 * and replaces the pods are the real controllers.
 */
export class StandInNode {
  readonly errors: string[] = [];
  private readonly running = new Map<string, RunningPod>();
  private readonly agent = new Agent({ connect: { rejectUnauthorized: false } });
  private readonly proxy: Server;
  private kubelet: Server | undefined;
  private loop: Promise<void> = Promise.resolve();
  private isStopped = false;
  private turn = 0;

  private constructor(
    private readonly hub: Hub,
    private readonly programs: Programs,
    /** The port of the Service. */
    readonly port: number,
  ) {
    this.proxy = createServer((socket) => {
      const ready = [...this.running.values()].filter(({ isReady }) => isReady);
      const pod = ready[this.turn++ % Math.max(1, ready.length)];
      socket.on('error', () => undefined);
      if (pod?.port === undefined) return void socket.destroy();
      const target = connect(pod.port, '127.0.0.1');
      socket.on('close', () => target.end());
      target.on('error', () => socket.destroy());
      socket.pipe(target).pipe(socket);
    });
  }

  static async start(hub: Hub, others: Programs = new Map()): Promise<StandInNode> {
    const [port = 0] = await freePorts(1);
    const node = new StandInNode(hub, new Map([[programOfNow, await bundleIn(hub.folder)], ...others]), port);
    await new Promise<void>((resolve) => node.proxy.listen(port, '127.0.0.1', resolve));
    await node.register();
    node.loop = node.run();
    return node;
  }

  /** How many pods answer. */
  get ready(): number {
    return [...this.running.values()].filter(({ isReady }) => isReady).length;
  }

  /** How many pods there are, whatever they do. */
  get size(): number {
    return this.running.size;
  }

  logs(): string {
    return [...this.running.values()].map(({ log }) => readFileSync(log, 'utf8')).join('\n');
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    await this.loop;
    await Promise.all([...this.running.values()].map(({ process }) => process.stop()));
    this.proxy.close();
    this.kubelet?.close();
    await this.agent.close();
  }

  /** The API server asks a kubelet for logs, at the address that the Node gives. */
  private async register(): Promise<void> {
    this.kubelet = createHttps(await loopbackPair(), ({ url = '' }, response) => {
      const pod = this.running.get(url.split('/')[3] ?? '');
      response.writeHead(pod === undefined ? 404 : 200).end(pod && readFileSync(pod.log));
    });
    await new Promise<void>((resolve) => this.kubelet?.listen(0, '127.0.0.1', resolve));
    const { port } = this.kubelet.address() as AddressInfo;
    const admin = this.hub.api('admin');
    expectStored(await admin.create('/api/v1/nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node' } }));
    const status = {
      addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
      daemonEndpoints: { kubeletEndpoint: { Port: port } },
    };
    expectStored(await admin.patch('/api/v1/nodes/node/status', 'merge', { status }));
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
    await this.leadService();
    const { items } = expectStored(await this.hub.api('admin').get(pods)) as unknown as { items: readonly Pod[] };
    for (const pod of items) await this.tend(pod);
    for (const gone of [...this.running.values()].filter(
      ({ name }) => !items.some((it) => it.metadata.name === name),
    )) {
      gone.end ??= this.finish(gone);
    }
  }

  private async tend(pod: Pod): Promise<void> {
    const { name, deletionTimestamp } = pod.metadata;
    const running = this.running.get(name);
    if (deletionTimestamp !== undefined) {
      if (running === undefined) await this.remove(name);
      else running.end ??= this.finish(running);
    } else if (running === undefined) {
      if (pod.status?.phase === 'Pending') await this.take(pod);
    } else if (!running.isReady && !running.isDone) await this.observe(running);
  }

  private async take(pod: Pod): Promise<void> {
    const { name } = pod.metadata;
    if (pod.spec.nodeName === undefined) {
      const target = { apiVersion: 'v1', kind: 'Node', name: 'node' };
      const binding = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
      expectStored(await this.hub.api('admin').create(`${pods}/${name}/binding`, binding));
    }
    const started = await startPod(this.hub, pod, this.programs);
    const { terminationGracePeriodSeconds: graceSeconds } = pod.spec;
    this.running.set(name, { ...started, name, graceSeconds, isReady: false, isDone: false, end: undefined });
  }

  /** What has become of a pod that was not ready: it is, or it has ended. */
  private async observe(pod: RunningPod): Promise<void> {
    const death = pod.process.died();
    if (death === undefined) {
      if (!(await this.answers(pod))) return;
      pod.isReady = true;
      await this.report(pod.name, { phase: 'Running', conditions: [condition('Ready')] });
      return;
    }
    pod.isDone = true;
    const isGood = death.includes('ended with 0:');
    await this.report(pod.name, { phase: isGood ? 'Succeeded' : 'Failed', message: death });
    if (pod.port !== undefined) this.errors.push(death);
  }

  private async report(name: string, status: object): Promise<void> {
    await this.hub.api('admin').patch(`${pods}/${name}/status`, 'merge', { status });
  }

  /** SIGTERM, and the pod is gone when the process is. New connections go elsewhere at once. */
  private async finish(pod: RunningPod): Promise<void> {
    pod.isReady = false;
    pod.isDone = true;
    await pod.process.stop(pod.graceSeconds * 1000);
    try {
      await this.remove(pod.name);
    } catch (error) {
      // Whoever stops the node may have stopped the hub before.
      if (!this.isStopped) this.errors.push(String(error));
    }
    this.running.delete(pod.name);
  }

  private async remove(name: string): Promise<void> {
    await this.hub.api('admin').delete(`${pods}/${name}?gracePeriodSeconds=0`);
  }

  /** There is no network of pods: the name of the Service leads to this machine. */
  private async leadService(): Promise<void> {
    const admin = this.hub.api('admin');
    const service = await found<{ spec: { type: string } }>(admin.get(servicePath));
    if (service === undefined || service.spec.type === 'ExternalName') return;
    const spec = { type: 'ExternalName', externalName: 'localhost', clusterIP: null, clusterIPs: null };
    await admin.patch(servicePath, 'merge', { spec });
  }

  private async answers({ port }: RunningPod): Promise<boolean> {
    if (port === undefined) return false;
    try {
      const answer = await request(`https://127.0.0.1:${port}/readyz`, { dispatcher: this.agent });
      await answer.body.dump();
      return answer.statusCode === 200;
    } catch {
      return false;
    }
  }
}

const condition = (type: string): Json => ({ type, status: 'True', lastTransitionTime: new Date().toISOString() });

async function found<T>(asked: Promise<Answer>): Promise<T | undefined> {
  const { status, body } = await asked;
  return status === 200 ? (body as unknown as T) : undefined;
}
