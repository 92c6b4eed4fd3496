import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import type { TlsPair } from '../../../src/certificates/certificate.js';
import { issuePair, makeAuthority } from '../../../src/certificates/issue.js';
import { installRights, installWebhooks, renderChart } from '../../e2e/harness/chart.js';
import { eventually } from '../../e2e/harness/eventually.js';
import { isAsked } from '../../e2e/harness/guard.js';
import type { Hub } from '../../e2e/harness/hub.js';
import { deliver, type Files } from './mounted-secret.js';
import { ReplicaGroup } from '../../e2e/harness/replica-group.js';

const hour = 60 * 60 * 1000;
const release = 'provided';

/** Two guards with a mounted Secret that somebody else fills. */
export class ProvidedCertificates {
  private constructor(
    readonly group: ReplicaGroup,
    private readonly authority: TlsPair,
    private readonly folders: readonly string[],
  ) {}

  static async start(hub: Hub, program: string): Promise<ProvidedCertificates> {
    const group = await ReplicaGroup.create(hub, program);
    const authority = await makeAuthority({ now: Date.now(), notAfter: Date.now() + hour });
    const folders = [1, 2].map(() => mkdtempSync(join(hub.folder, 'mounted-')));
    const provided = new ProvidedCertificates(group, authority, folders);
    provided.deliver(filesOf(await provided.pair()));
    // The account is there already.
    const chart = await renderChart(hub, { url: group.url, certificate: authority.cert, release });
    await installRights(
      hub,
      chart.filter(({ kind }) => kind !== 'ServiceAccount'),
    );
    await Promise.all(folders.map((folder) => group.start({ 'tls-dir': folder, 'webhook-configuration': release })));
    await group.ready();
    await installWebhooks(hub, chart);
    await eventually('the guards with a provided certificate are asked too', async () => {
      await isAsked(hub);
      return group.logs().includes('"decided"') || undefined;
    });
    return provided;
  }

  pair(notAfter = Date.now() + hour): Promise<TlsPair> {
    return issuePair(this.authority, ['127.0.0.1'], { now: Date.now(), notAfter });
  }

  deliver(files: Files): void {
    for (const folder of this.folders) deliver(folder, files);
  }

  /** A new pair, delivered, and shown by all. */
  async rotate(): Promise<void> {
    const before = await this.group.shown();
    this.deliver(filesOf(await this.pair()));
    await this.group.shown(({ serial }) => serial !== before.serial);
  }

  /** Something that is no good: all say so, and show what they have shown before. */
  async spoil(files: Files): Promise<void> {
    const name = 'stageguard_tls_reload_failures_total';
    const [before, failures] = [await this.group.shown(), await this.group.metrics(name)];
    this.deliver(files);
    await eventually('the metric tells', async () => {
      const now = await this.group.metrics(name);
      return now.every((count, index) => count > (failures[index] ?? NaN)) || undefined;
    });
    await this.group.shown(({ serial }) => serial === before.serial);
  }
}

export const filesOf = ({ cert, key }: TlsPair): Files => ({ 'tls.crt': cert, 'tls.key': key });
