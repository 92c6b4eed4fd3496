import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Json } from './api.js';
import { expectStored, type Hub } from './hub.js';
import { helm } from './kubectl.js';

const chart = join(import.meta.dirname, '..', '..', '..', 'charts', 'stageguard');

export interface Outside {
  readonly url: string;
  /** PEM of the certificate that the guard shows. */
  readonly certificate: string;
  readonly hubAgentUsers?: readonly string[];
  readonly notServedKinds?: readonly string[];
  /** Two of them may be on one hub; the guard's account is the same. */
  readonly release?: string;
}

/** The chart for a guard that runs beside the hub. */
export async function renderChart(hub: Hub, outside: Outside): Promise<readonly Json[]> {
  const { url, certificate, hubAgentUsers, notServedKinds = [], release = 'stageguard' } = outside;
  const values = {
    serviceAccount: { name: 'stageguard' },
    notServedKinds,
    webhook: { url, caBundle: Buffer.from(certificate).toString('base64') },
    ...(hubAgentUsers !== undefined && { hubAgent: { users: hubAgentUsers } }),
  };
  const args = ['template', release, chart, '--namespace', 'fleet-stageguard', '--values', '-'];
  const { code, stdout, stderr } = await helm(hub, args, { stdin: JSON.stringify(values) });
  if (code !== 0) throw new Error(`helm: ${stderr}`);
  const objects = parseAllDocuments(stdout).map((document) => document.toJS() as Json);
  return objects.filter((object) => !isOfHelm(object));
}

const paths: Readonly<Record<string, (namespace: string) => string>> = {
  ServiceAccount: (namespace) => `/api/v1/namespaces/${namespace}/serviceaccounts`,
  ClusterRole: () => '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: () => '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  Role: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/roles`,
  RoleBinding: (namespace) => `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`,
  ValidatingWebhookConfiguration: () => '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
  ValidatingAdmissionPolicy: () => '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies',
  ValidatingAdmissionPolicyBinding: () => '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
  MutatingWebhookConfiguration: () => '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations',
};

/** Helm applies these at moments of its own: before an uninstall, or for a test. */
function isOfHelm(object: Json): boolean {
  const { annotations = {} } = object['metadata'] as { annotations?: Readonly<Record<string, string>> };
  return 'helm.sh/hook' in annotations;
}

/** The configurations, and the Role and its binding that put them in force. */
function isWebhook(object: Json): boolean {
  const { name } = object['metadata'] as { name: string };
  return String(object['kind']).endsWith('WebhookConfiguration') || name.endsWith('-armed');
}

const isFloor = (object: Json): boolean => String(object['kind']).startsWith('ValidatingAdmissionPolicy');

/** Installs the policies that hold without the guard: they answer before it, so most tests go without them. */
export function installFloor(hub: Hub, objects: readonly Json[]): Promise<void> {
  return install(hub, objects.filter(isFloor));
}

/** Installs the rights of the guard. */
export function installRights(hub: Hub, objects: readonly Json[]): Promise<void> {
  return install(
    hub,
    objects.filter((object) => !isWebhook(object) && !isFloor(object)),
  );
}

/** Installs the webhook configurations: from now on the API server asks. */
export function installWebhooks(hub: Hub, objects: readonly Json[]): Promise<void> {
  return install(hub, objects.filter(isWebhook));
}

async function install(hub: Hub, objects: readonly Json[]): Promise<void> {
  for (const object of objects) {
    const { namespace = '' } = object['metadata'] as { namespace?: string };
    const path = paths[String(object['kind'])]?.(namespace);
    if (path !== undefined) expectStored(await hub.api('admin').create(path, object));
  }
}
