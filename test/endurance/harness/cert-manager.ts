import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Json } from '../../e2e/harness/api.js';
import { eventually } from '../../e2e/harness/eventually.js';
import { expectStored, freePorts, type Hub } from '../../e2e/harness/hub.js';
import { kubectl } from '../../e2e/harness/kubectl.js';
import { startLeashed, type Leashed } from '../../e2e/harness/leash.js';

const { programs } = globalThis as unknown as {
  readonly programs: Readonly<Record<'cert-manager-controller' | 'cert-manager-cainjector', string>>;
};

const namespace = 'fleet-stageguard';
const module = join(import.meta.dirname, '..', '..', '..', 'tools', 'cert-manager');

interface Condition {
  readonly type: string;
  readonly status: string;
}

interface Certificate {
  readonly metadata: { readonly generation: number };
  readonly status: { readonly conditions: readonly Condition[] };
}

/** cert-manager itself: its controller and its CA injector, as processes beside the hub. */
export class CertManager {
  private constructor(
    private readonly hub: Hub,
    private readonly running: readonly Leashed[],
  ) {}

  static async start(hub: Hub): Promise<CertManager> {
    await installCrds(hub);
    const [metricsPort] = await freePorts(1);
    const start = (name: keyof typeof programs, ...args: string[]): Leashed =>
      startLeashed(programs[name], [`--kubeconfig=${hub.kubeconfig('admin')}`, '--leader-elect=false', ...args], {
        log: join(hub.folder, `${name}.log`),
      });
    return new CertManager(hub, [
      start('cert-manager-controller', `--metrics-listen-address=127.0.0.1:${metricsPort}`),
      start('cert-manager-cainjector'),
    ]);
  }

  /** Has a Certificate issued anew, as `cmctl renew` does, and waits for it; the content of its Secret. */
  async renew(name: string, secret: string): Promise<Readonly<Record<string, Buffer>>> {
    const before = await this.secret(secret);
    await eventually('the renewal is asked for', () => this.askToRenew(name));
    return eventually('the Secret is renewed', async () => {
      const now = await this.secret(secret);
      return now['tls.crt']?.equals(before['tls.crt'] ?? Buffer.of()) === false ? now : undefined;
    });
  }

  async secret(name: string): Promise<Readonly<Record<string, Buffer>>> {
    const answer = await this.hub.api('admin').get(`/api/v1/namespaces/${namespace}/secrets/${name}`);
    const { data } = expectStored(answer) as { data: Readonly<Record<string, string>> };
    return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text, 'base64')]));
  }

  async stop(): Promise<void> {
    await Promise.all(this.running.map((program) => program.stop()));
  }

  /** Undefined where the controller has written at the same moment. */
  private async askToRenew(name: string): Promise<true | undefined> {
    const admin = this.hub.api('admin');
    const path = `/apis/cert-manager.io/v1/namespaces/${namespace}/certificates/${name}`;
    const certificate = expectStored(await admin.get(path)) as unknown as Certificate;
    const { conditions } = certificate.status;
    if (conditions.some(({ type, status }) => type === 'Issuing' && status === 'True')) return undefined;
    const issuing = {
      type: 'Issuing',
      status: 'True',
      reason: 'ManuallyTriggered',
      message: 'renewed by a test',
      lastTransitionTime: new Date().toISOString(),
      observedGeneration: certificate.metadata.generation,
    };
    const others = conditions.filter(({ type }) => type !== 'Issuing');
    const status = { ...certificate.status, conditions: [...others, issuing] };
    return (await admin.replace(`${path}/status`, { ...certificate, status })).status === 200 || undefined;
  }
}

/** The definitions that belong to this version; as files of its chart they have lines that only Helm reads. */
async function installCrds(hub: Hub): Promise<void> {
  const download = ['mod', 'download', '-json', 'github.com/cert-manager/cert-manager'];
  const { stdout } = await promisify(execFile)('go', download, { cwd: module });
  const { Dir: source } = JSON.parse(stdout) as { Dir: string };
  const target = mkdtempSync(join(hub.folder, 'cert-manager-crds-'));
  const crds = join(source, 'deploy', 'crds');
  for (const file of readdirSync(crds).filter((name) => name.endsWith('.yaml'))) {
    const lines = readFileSync(join(crds, file), 'utf8').split('\n');
    writeFileSync(join(target, file), lines.filter((line) => !line.includes('{{')).join('\n'));
  }
  const { code, stderr } = await kubectl(hub, 'admin', ['create', '-f', target]);
  if (code !== 0) throw new Error(stderr);
  await eventually('cert-manager is served', async () => {
    const kinds = ['certificates', 'certificaterequests', 'issuers', 'clusterissuers'];
    const answers = await Promise.all(kinds.map((kind) => hub.api('admin').get(`/apis/cert-manager.io/v1/${kind}`)));
    return answers.every(({ status }) => status === 200) || undefined;
  });
}

/** The caBundle of each webhook of the guard. */
export async function bundlesOf(hub: Hub): Promise<readonly string[]> {
  const kinds = ['validatingwebhookconfigurations', 'mutatingwebhookconfigurations'];
  const all = await Promise.all(
    kinds.map(async (kind) => {
      const path = `/apis/admissionregistration.k8s.io/v1/${kind}/stageguard`;
      const { webhooks } = expectStored(await hub.api('admin').get(path)) as { webhooks: { clientConfig: Json }[] };
      return webhooks.map(({ clientConfig }) => String(clientConfig['caBundle']));
    }),
  );
  return all.flat();
}
