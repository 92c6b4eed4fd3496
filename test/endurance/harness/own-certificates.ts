import { accessForCertificates } from '../../../src/hub/rights.js';
import type { Json } from '../../e2e/harness/api.js';
import { loopbackPair } from '../../e2e/harness/certificate.js';
import { installRights, installWebhooks, renderChart } from '../../e2e/harness/chart.js';
import { eventually } from '../../e2e/harness/eventually.js';
import type { Flags } from '../../e2e/harness/guard-process.js';
import { isAsked } from '../../e2e/harness/guard.js';
import { expectStored, type Hub } from '../../e2e/harness/hub.js';
import { users } from '../../e2e/harness/users.js';
import { ReplicaGroup } from '../../e2e/harness/replica-group.js';

const namespace = 'fleet-stageguard';

/** The Secret in which guards keep what they make, as whoever looks after the hub reads and changes it. */
export class OwnSecret {
  private readonly path: string;

  constructor(
    private readonly hub: Hub,
    readonly name: string,
  ) {
    this.path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
  }

  flags(configuration: string): Flags {
    const tls = { 'tls-secret': `${namespace}/${this.name}`, 'tls-names': '127.0.0.1' };
    return { ...tls, 'webhook-configuration': configuration };
  }

  /** How many certificates there are in one of its files. */
  async certificatesIn(key: string): Promise<number> {
    const { data } = expectStored(await this.hub.api('admin').get(this.path)) as { data: Record<string, string> };
    const text = Buffer.from(data[key] ?? '', 'base64').toString();
    return text.split('BEGIN CERTIFICATE').length - 1;
  }

  async remove(key: 'tls.crt' | 'ca.key'): Promise<void> {
    const patch = [{ op: 'remove', path: `/data/${key}` }];
    expectStored(await this.hub.api('admin').patch(this.path, 'json', patch));
  }

  async delete(): Promise<void> {
    expectStored(await this.hub.api('admin').delete(this.path));
  }

  async isThere(): Promise<true | undefined> {
    return (await this.hub.api('admin').get(this.path)).status === 200 || undefined;
  }

  /** What a guard needs beyond the rights that every guard has. */
  async grantRights(configuration: string): Promise<void> {
    const rbac = '/apis/rbac.authorization.k8s.io/v1';
    const apiGroup = 'rbac.authorization.k8s.io';
    const apiVersion = `${apiGroup}/v1`;
    const names = { configuration, secret: { namespace, name: this.name } };
    for (const { namespace: home, rules } of accessForCertificates(names)) {
      const within = home === undefined ? '' : `/namespaces/${home}`;
      const [role, binding] = home === undefined ? ['ClusterRole', 'ClusterRoleBinding'] : ['Role', 'RoleBinding'];
      const metadata = { name: `keeps-${this.name}`, ...(home !== undefined && { namespace: home }) };
      const create = async (kind: string, object: object): Promise<Json> => {
        const path = `${rbac}${within}/${kind.toLowerCase()}s`;
        return expectStored(await this.hub.api('admin').create(path, { apiVersion, kind, metadata, ...object }));
      };
      await create(role, { rules });
      const subjects = [{ kind: 'User', apiGroup, name: users.guard.name }];
      await create(binding, { roleRef: { kind: role, apiGroup, name: metadata.name }, subjects });
    }
  }
}

/** Two guards that make their own certificates, started at the same moment, and webhooks whose caBundle is theirs to fill. */
export async function startWithOwn(hub: Hub, program: string, secret: OwnSecret, flags: Flags): Promise<ReplicaGroup> {
  const group = await ReplicaGroup.create(hub, program);
  const chart = await renderChart(hub, { url: group.url, certificate: (await loopbackPair()).cert });
  await installRights(hub, chart);
  await secret.grantRights('stageguard');
  await Promise.all([group.start(flags), group.start(flags)]);
  await group.ready();
  await installWebhooks(hub, chart.map(withoutBundle));
  await eventually('the guards are asked, by a bundle of their own', () => isAsked(hub), 60);
  return group;
}

function withoutBundle(object: Json): Json {
  const webhooks = object['webhooks'] as { clientConfig: { url: string } }[] | undefined;
  if (webhooks === undefined) return object;
  return { ...object, webhooks: webhooks.map((it) => ({ ...it, clientConfig: { url: it.clientConfig.url } })) };
}
