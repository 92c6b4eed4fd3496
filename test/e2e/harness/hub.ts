import { generateKeyPairSync } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent } from 'undici';
import { parseAllDocuments } from 'yaml';
import { connect, type Answer, type Api, type Json } from './api.js';
import { eventually } from './eventually.js';
import { startLeashed, type Leashed } from './leash.js';
import { ourCrds } from './our-crds.js';
import { kubeconfigOf, rights, tokenFile, tokenOf, userIds, users, type User } from './users.js';

/** Where the programs are; put here by jest.config.mjs. */
type Program = 'etcd' | 'kube-apiserver' | 'kube-controller-manager' | 'kubectl' | 'helm' | 'promtool' | 'actionlint';
export const { programs } = globalThis as unknown as { readonly programs: Readonly<Record<Program, string>> };

export interface HubOptions {
  /** Definitions of the kinds; our own by default. */
  readonly crds?: readonly Json[];
  /** Garbage collection, deletion of namespaces, and the pods of Deployments. */
  readonly withControllers?: boolean;
  /** After which the API server gives up a request; a minute by default. */
  readonly requestSeconds?: number;
  /** What the API server shows to a webhook at this address (`host:port`). */
  readonly webhookClient?: WebhookClient;
  /** Whose requests the audit log holds, beside those of the guard. */
  readonly audited?: readonly User[];
}

export interface WebhookClient {
  readonly at: string;
  readonly cert: string;
  readonly key: string;
}

/** A hub of its own: etcd and an API server on loopback, KubeFleet's kinds, users and their rights. */
export interface Hub {
  readonly folder: string;
  readonly server: string;
  /** Where its etcd listens. */
  readonly etcdPort: number;
  /** Process ids of all it runs. */
  readonly pids: readonly number[];
  kubeconfig(user: User): string;
  api(user: User): Api;
  /** Ends etcd and API server without warning, acts while both are away, and starts them as they were. */
  interrupt(act: (data: string) => void | Promise<void>): Promise<void>;
  /** What the guard was not allowed to do, as it asked for it. */
  forbidden(): readonly string[];
  /** What the audit log holds. */
  audit(): readonly AuditEvent[];
  stop(): Promise<void>;
}

export async function startHub(options: HubOptions = {}): Promise<Hub> {
  const { crds = ourCrds, withControllers = false, requestSeconds = 60, webhookClient, audited = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'stageguard-hub-'));
  const running = new Map<Program, Leashed>();
  const start = (name: Program, args: readonly string[]): void => {
    running.set(name, startLeashed(programs[name], args, { log: join(folder, `${name}.log`), folder }));
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((program) => program.stop()));
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const [etcdPort = 0, port = 0] = await freePorts(2);
    const server = `https://127.0.0.1:${port}`;
    writeKeys(folder, audited);
    const admission = webhookClient === undefined ? undefined : writeAdmission(folder, webhookClient);
    const startStore = (): void => {
      start('etcd', etcdFlags(folder, etcdPort));
      start('kube-apiserver', [
        ...serverFlags(folder, etcdPort, port),
        `--request-timeout=${requestSeconds}s`,
        ...(admission === undefined ? [] : [`--admission-control-config-file=${admission}`]),
      ]);
    };
    startStore();
    const certificate = join(folder, 'keys', 'apiserver.crt');
    for (const user of userIds) {
      writeFileSync(join(folder, `${user}.kubeconfig`), kubeconfigOf(user, { server, certificate }));
    }
    const kubeconfig = (user: User): string => join(folder, `${user}.kubeconfig`);
    const ready = (): Promise<Agent> => whenReady({ server, certificate, running: [...running.values()] });
    const agent = await ready();
    const api = (user: User): Api => connect({ server, token: tokenOf(user), agent });
    await furnish(api('admin'), crds);
    if (withControllers) start('kube-controller-manager', controllerFlags(kubeconfig('controllers')));
    const audit = (): readonly AuditEvent[] => eventsIn(join(folder, 'audit.log'));
    return {
      folder,
      audit,
      forbidden: () => forbiddenIn(audit()),
      server,
      etcdPort,
      pids: [...running.values()].map(({ pid }) => pid),
      async interrupt(act) {
        for (const name of ['kube-apiserver', 'etcd'] as const) await running.get(name)?.stop();
        await act(join(folder, 'etcd'));
        startStore();
        await (await ready()).close();
      },
      kubeconfig,
      api,
      stop: () => agent.close().then(stop),
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Below those that the system gives to connections: a port of theirs may be taken before the program listens on it. */
const lowestPort = 15_000;
const highestPort = 32_000;
const given = new Set<number>();

/** Ports of loopback that nobody listens on. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = lowestPort + Math.floor(Math.random() * (highestPort - lowestPort));
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });
}

/** What the guard asks of the hub is written down, so that a right it lacks is seen. */
function auditPolicy(audited: readonly User[]): object {
  const names = [users.guard.name, ...audited.map((user) => users[user].name)];
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted'],
    rules: [{ level: 'Metadata', users: names }, { level: 'None' }],
  };
}

function writeKeys(folder: string, audited: readonly User[]): void {
  mkdirSync(join(folder, 'keys'));
  writeFileSync(join(folder, 'keys', 'tokens.csv'), tokenFile(), { mode: 0o600 });
  writeFileSync(join(folder, 'keys', 'audit-policy.json'), JSON.stringify(auditPolicy(audited)));
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  writeFileSync(join(folder, 'keys', 'sa.key'), privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 });
  writeFileSync(join(folder, 'keys', 'sa.pub'), publicKey.export({ type: 'spki', format: 'pem' }));
}

/** The two files of docs/install.md, "Who may ask the guard". */
function writeAdmission(folder: string, { at, cert, key }: WebhookClient): string {
  const file = (name: string): string => join(folder, 'keys', name);
  const apiVersion = 'apiserver.config.k8s.io/v1';
  const configuration = { apiVersion, kind: 'WebhookAdmissionConfiguration', kubeConfigFile: file('webhooks.json') };
  const plugins = ['ValidatingAdmissionWebhook', 'MutatingAdmissionWebhook'].map((name) => ({ name, configuration }));
  const user = { 'client-certificate': file('webhook.crt'), 'client-key': file('webhook.key') };
  writeFileSync(file('webhook.crt'), cert);
  writeFileSync(file('webhook.key'), key, { mode: 0o600 });
  writeFileSync(
    file('webhooks.json'),
    JSON.stringify({ apiVersion: 'v1', kind: 'Config', users: [{ name: at, user }] }),
  );
  writeFileSync(file('admission.json'), JSON.stringify({ apiVersion, kind: 'AdmissionConfiguration', plugins }));
  return file('admission.json');
}

function etcdFlags(folder: string, port: number): readonly string[] {
  const client = `http://127.0.0.1:${port}`;
  return [
    '--name=hub',
    `--data-dir=${join(folder, 'etcd')}`,
    `--listen-client-urls=${client}`,
    `--advertise-client-urls=${client}`,
    '--listen-peer-urls=http://127.0.0.1:0',
    '--unsafe-no-fsync',
    '--log-level=warn',
  ];
}

export function serverFlags(folder: string, etcdPort: number, port: number): readonly string[] {
  const keys = join(folder, 'keys');
  return [
    `--etcd-servers=http://127.0.0.1:${etcdPort}`,
    '--bind-address=127.0.0.1',
    '--advertise-address=127.0.0.1',
    `--secure-port=${port}`,
    // It makes itself a certificate for the address it binds, and leaves it here.
    `--cert-dir=${keys}`,
    `--token-auth-file=${join(keys, 'tokens.csv')}`,
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${join(keys, 'sa.pub')}`,
    `--service-account-signing-key-file=${join(keys, 'sa.key')}`,
    '--service-cluster-ip-range=10.0.0.0/24',
    '--endpoint-reconciler-type=none',
    `--audit-policy-file=${join(keys, 'audit-policy.json')}`,
    `--audit-log-path=${join(folder, 'audit.log')}`,
    '--audit-log-mode=blocking',
    '--v=1',
  ];
}

const controllers = [
  'namespace-controller',
  'garbage-collector-controller',
  'serviceaccount-controller',
  'deployment-controller',
  'replicaset-controller',
  'validatingadmissionpolicy-status-controller',
];

function controllerFlags(kubeconfig: string): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    '--leader-elect=false',
    '--bind-address=127.0.0.1',
    '--secure-port=0',
    `--controllers=${controllers.join()}`,
  ];
}

interface Starting {
  readonly server: string;
  readonly certificate: string;
  readonly running: readonly Leashed[];
}

/** A cold start on a busy machine takes some 10 s. */
const startSeconds = 90;

function whenReady({ server, certificate, running }: Starting): Promise<Agent> {
  return eventually(
    'the API server is ready',
    () => {
      const death = running.map((program) => program.died()).find((text) => text !== undefined);
      if (death !== undefined) throw new Error(death);
      return tryReady(server, certificate);
    },
    startSeconds,
  );
}

async function tryReady(server: string, certificate: string): Promise<Agent | undefined> {
  try {
    const agent = new Agent({ connect: { ca: readFileSync(certificate) } });
    const { status } = await connect({ server, token: tokenOf('admin'), agent }).get('/readyz');
    if (status === 200) return agent;
    await agent.close();
  } catch {
    // Not there yet.
  }
  return undefined;
}

const groupPaths: Readonly<Record<string, string>> = {
  Namespace: '/api/v1/namespaces',
  ClusterRole: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  ClusterRoleBinding: '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  CustomResourceDefinition: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
};

export interface AuditEvent {
  readonly verb: string;
  readonly requestURI: string;
  readonly user: { readonly username: string };
  readonly responseStatus?: { readonly code?: number };
  readonly annotations?: Readonly<Record<string, string>>;
}

function eventsIn(auditLog: string): readonly AuditEvent[] {
  // It is there from the first request on that is written down.
  if (!existsSync(auditLog)) return [];
  const lines = readFileSync(auditLog, 'utf8').split('\n');
  // The last line is empty, or still being written.
  return lines.slice(0, -1).map((line) => JSON.parse(line) as AuditEvent);
}

function forbiddenIn(events: readonly AuditEvent[]): readonly string[] {
  return events
    .filter(({ user, responseStatus }) => user.username === users.guard.name && responseStatus?.code === 403)
    .map(({ verb, requestURI }) => `${verb} ${requestURI}`);
}

async function furnish(admin: Api, definitions: readonly Json[]): Promise<void> {
  const namespaces = ['fleet-system', 'fleet-stageguard', 'team-a'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  const all = [...definitions, ...namespaces, ...(rights as Json[])];
  await Promise.all(
    all.map(async (object) => {
      expectStored(await admin.create(groupPaths[String(object['kind'])] ?? '', object));
    }),
  );
  const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'hub-agent-sa' } };
  expectStored(await admin.create('/api/v1/namespaces/fleet-system/serviceaccounts', account));
  await whenServed(admin, definitions as unknown as readonly Definition[]);
}

/** All objects of a folder of YAML files; a List stands for its items. */
export function readObjects(folder: string): readonly Json[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .flatMap((file) => parseAllDocuments(readFileSync(join(folder, file), 'utf8')))
    .map((document) => document.toJS({ maxAliasCount: -1 }) as Json | null)
    .flatMap((object) => (object?.['kind'] === 'List' ? (object['items'] as Json[]) : object === null ? [] : [object]));
}

export function expectStored(answer: Answer): Json {
  if (answer.status >= 300) throw new Error(`${answer.status}: ${String(answer.body['message'])}`);
  return answer.body;
}

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string }[];
  };
}

/** A definition is established some time before its paths answer. */
async function whenServed(admin: Api, definitions: readonly Definition[]): Promise<void> {
  const byGroup = new Map<string, string[]>();
  for (const { spec } of definitions) {
    for (const { name } of spec.versions) {
      const path = `${spec.group}/${name}`;
      byGroup.set(path, [...(byGroup.get(path) ?? []), spec.names.plural]);
    }
  }
  await Promise.all([...byGroup].map(([path, plurals]) => groupServes(admin, path, plurals)));
}

async function groupServes(admin: Api, path: string, plurals: readonly string[]): Promise<void> {
  const answers = async (plural: string): Promise<boolean> =>
    (await admin.get(`/apis/${path}/${plural}?limit=1`)).status === 200;
  for (const plural of plurals) {
    await eventually(`${plural} of ${path} are served`, async () => (await answers(plural)) || undefined);
  }
  // kubectl validates by this document, and looks for the definition itself where a kind is not in it yet.
  await eventually(`all kinds of ${path} are described`, async () => {
    const paths = Object.keys((await admin.get(`/openapi/v3/apis/${path}`)).body['paths'] ?? {});
    return plurals.every((plural) => paths.some((one) => one.endsWith(`/${plural}`))) || undefined;
  });
}
