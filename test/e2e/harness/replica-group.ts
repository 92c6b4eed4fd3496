import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { request } from 'undici';
import { eventually } from './eventually.js';
import { startGuardProcess, type Flags } from './guard-process.js';
import { freePorts, type Hub } from './hub.js';
import type { Leashed } from './leash.js';
import { startServiceProxy, type ServiceProxy } from './service-proxy.js';

/** What a server shows: the serial of its certificate, and who signed it. */
export interface Shown {
  readonly serial: string;
  readonly issuer: string;
}

export interface Replica {
  readonly port: number;
  readonly metricsPort: number;
  readonly process: Leashed;
  readonly log: string;
}

/** A rotation is noticed within this, wherever the pair comes from. */
const servedSeconds = 15;

/** Guards behind one address, as the pods of a Deployment behind their Service. */
export class ReplicaGroup {
  readonly running: Replica[] = [];

  private constructor(
    private readonly hub: Hub,
    private readonly program: string,
    private readonly proxy: ServiceProxy,
  ) {}

  static async create(hub: Hub, program: string): Promise<ReplicaGroup> {
    return new ReplicaGroup(hub, program, await startServiceProxy());
  }

  get url(): string {
    return `https://127.0.0.1:${this.proxy.port}`;
  }

  /** Starts one more; `ready` waits for it. */
  async start(flags: Flags, nodeOptions: readonly string[] = []): Promise<Replica> {
    const [port = 0, metricsPort = 0] = await freePorts(2);
    const log = join(mkdtempSync(join(this.hub.folder, 'replica-')), 'guard.log');
    const { hub, program } = this;
    const process_ = startGuardProcess(hub, { program, ports: [port, metricsPort], log, flags, nodeOptions });
    const replica = { port, metricsPort, process: process_, log };
    this.running.push(replica);
    this.proxy.add(port);
    return replica;
  }

  async ready(): Promise<void> {
    await eventually(
      'all replicas are ready',
      () => {
        const death = this.running.map((replica) => replica.process.died()).find((text) => text !== undefined);
        if (death !== undefined) throw new Error(death);
        return this.running.every(({ port }) => this.proxy.isReady(port)) || undefined;
      },
      90,
    );
  }

  /** Takes the oldest out of the list; what becomes of it is up to the caller. */
  leave(): Replica {
    const oldest = this.running.shift();
    if (oldest === undefined) throw new Error('there is no replica left');
    return oldest;
  }

  /** Ends one of them without warning; nobody is sent there from now on. */
  kill(index: number): void {
    for (const { process: guard, port } of this.running.splice(index, 1)) {
      guard.signal('SIGKILL');
      this.proxy.remove(port);
    }
  }

  /** Whether nobody is sent to this replica any more. */
  isForgotten({ port }: Replica): true | undefined {
    return !this.proxy.isReady(port) || undefined;
  }

  /** What all replicas show, once it is the same at all of them, and the one that is looked for. */
  shown(isIt: (shown: Shown) => boolean = () => true): Promise<Shown> {
    return eventually(
      'all replicas show the same certificate, and a new one',
      async () => {
        const [first, ...rest] = await Promise.all(this.running.map(({ port }) => shownAt(port)));
        const isSame = first !== undefined && rest.every((other) => other?.serial === first.serial);
        return isSame && isIt(first) ? first : undefined;
      },
      servedSeconds,
    );
  }

  /** A metric of each replica. */
  metrics(name: string): Promise<readonly number[]> {
    return Promise.all(
      this.running.map(async ({ metricsPort }) => {
        const { body } = await request(`http://127.0.0.1:${metricsPort}/metrics`);
        const line = (await body.text()).split('\n').find((text) => text.startsWith(`${name} `));
        return Number(line?.slice(name.length + 1));
      }),
    );
  }

  logs(): string {
    return this.running.map(logOf).join('');
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((replica) => replica.process.stop()));
    await this.proxy.stop();
  }
}

export function logOf({ log }: Replica): string {
  return readFileSync(log, 'utf8');
}

/** What a server on this machine shows to a new connection. */
export function shownAt(port: number): Promise<Shown | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false }, () => {
      const { serialNumber, issuer } = socket.getPeerCertificate();
      socket.destroy();
      resolve({ serial: serialNumber, issuer: String(issuer.CN) });
    });
    socket.on('error', () => {
      resolve(undefined);
    });
  });
}
