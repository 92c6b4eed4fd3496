import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loopbackPair } from './certificate.js';
import { installRights, installWebhooks, renderChart } from './chart.js';
import { eventually } from './eventually.js';
import type { Flags } from './guard-process.js';
import { bundleIn, isAsked } from './guard.js';
import type { Hub } from './hub.js';
import { ReplicaGroup } from './replica-group.js';

/** Guards that share a hub, behind one address, any of which may end without warning. */
export class GuardReplicas {
  private constructor(
    private readonly group: ReplicaGroup,
    private readonly flags: Flags & { readonly config: string },
  ) {}

  /** `through`: the API servers that they look at the hub through, in turn. */
  static async start(hub: Hub, count: number, config: object, through: readonly Hub[] = [hub]): Promise<GuardReplicas> {
    const folder = mkdtempSync(join(hub.folder, 'guards-'));
    const { cert, key } = await loopbackPair();
    writeFileSync(join(folder, 'tls.crt'), cert);
    writeFileSync(join(folder, 'tls.key'), key);
    writeFileSync(join(folder, 'config.yaml'), JSON.stringify(config));
    const group = await ReplicaGroup.create(hub, await bundleIn(hub.folder));
    const guards = new GuardReplicas(group, { config: join(folder, 'config.yaml'), 'tls-dir': folder });
    const chart = await renderChart(hub, { url: group.url, certificate: cert });
    await installRights(hub, chart);
    const kubeconfigOf = (turn: number): string => (through[turn % through.length] ?? hub).kubeconfig('guard');
    await Promise.all(
      Array.from({ length: count }, (_, turn) => group.start({ ...guards.flags, kubeconfig: kubeconfigOf(turn) })),
    );
    await group.ready();
    await installWebhooks(hub, chart);
    await eventually('the guards are asked', () => isAsked(hub));
    return guards;
  }

  /** Ends any one of them without warning, and starts another in its place. */
  async killOne(): Promise<void> {
    this.group.kill(Math.floor(Math.random() * this.group.running.length));
    await this.group.start(this.flags);
  }

  /** Where each of them listens. */
  ports(): readonly number[] {
    return this.group.running.map(({ port }) => port);
  }

  /** Gives all of them another config file. */
  configure(text: string): void {
    writeFileSync(this.flags.config, text);
  }

  /** A metric of each of them. */
  metrics(name: string): Promise<readonly number[]> {
    return this.group.metrics(name);
  }

  logs(): string {
    return this.group.logs();
  }

  /** Ends all of them without warning; nobody answers then. */
  endAll(): void {
    while (this.group.running.length > 0) this.group.kill(0);
  }

  async startAgain(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.group.start(this.flags)));
    await this.group.ready();
  }

  ready(): Promise<void> {
    return this.group.ready();
  }

  stop(): Promise<void> {
    return this.group.stop();
  }
}
