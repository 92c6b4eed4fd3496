import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectStored, freePorts, type Hub } from '../harness/hub.js';
import { startLeashed, type Leashed } from '../harness/leash.js';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly readinessProbe?: object;
}

interface Volume {
  readonly name: string;
  readonly configMap?: { readonly name: string };
  readonly secret?: { readonly secretName: string };
}

/** A pod as it is stored, as far as a kubelet for one container reads it. */
export interface Pod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly deletionTimestamp?: string };
  readonly spec: {
    readonly nodeName?: string;
    readonly serviceAccountName: string;
    readonly terminationGracePeriodSeconds: number;
    readonly containers: readonly [Container];
    readonly volumes?: readonly Volume[];
  };
  readonly status?: { readonly phase?: string };
}

export interface PodProcess {
  readonly process: Leashed;
  /** Where it says whether it is ready; undefined for a pod that nobody asks. */
  readonly port: number | undefined;
  readonly log: string;
}

const account = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Where the program of an image is, by the tag of the image. */
export type Programs = ReadonlyMap<string, string>;

/** Any other tag stands for the program of now. */
export const programOfNow = 'now';

/**
 * Runs the container of a pod as a process: below a folder that stands for its file system, with its ServiceAccount's
 * own token, and where the image has the program, with the one of its tag.
 */
export async function startPod(hub: Hub, pod: Pod, programs: Programs): Promise<PodProcess> {
  const [container] = pod.spec.containers;
  const root = mkdtempSync(join(hub.folder, `${pod.metadata.name}-`));
  for (const { name, mountPath } of container.volumeMounts ?? []) {
    mkdirSync(join(root, mountPath), { recursive: true });
    const volume = pod.spec.volumes?.find((each) => each.name === name);
    for (const [file, text] of await filesOf(hub, pod, volume)) writeFileSync(join(root, mountPath, file), text);
  }
  const below = (text: string): string => text.replace(/(?<=^|=)\/(?=etc|var|check)/, `${root}/`);
  const [port, metricsPort] = await freePorts(2);
  const args = (container.args ?? []).map((arg) =>
    below(arg)
      .replace(/^--port=.*$/, `--port=${port}`)
      .replace(/^--metrics-port=.*$/, `--metrics-port=${metricsPort}`)
      // Nobody needs to be told that a pod is gone: the one who sends is the one who ends it.
      .replace(/^--drain=.*$/, '--drain=5s'),
  );
  const tag = /:([^:/]+)$/.exec(container.image)?.[1] ?? '';
  const program = programs.get(tag) ?? programs.get(programOfNow) ?? '';
  const [, ...command] = container.command ?? ['node', program];
  const isGuard = container.command === undefined;
  const log = join(root, 'log');
  const { hostname, port: serverPort } = new URL(hub.server);
  const env = {
    KUBERNETES_SERVICE_HOST: hostname,
    KUBERNETES_SERVICE_PORT: serverPort,
    ...Object.fromEntries((container.env ?? []).filter(isKnownHere).map(({ name, value }) => [name, below(value)])),
  };
  const here = isGuard ? ['--host=127.0.0.1', `--kubeconfig=${kubeconfigIn(root, hub)}`] : [];
  const process_ = startLeashed(process.execPath, [...command.map(below), ...args, ...here], { log, env });
  return { process: process_, port: container.readinessProbe === undefined ? undefined : port, log };
}

/** The Node of the image is newer than the oldest that the tests run on, and knows options that the other refuses. */
function isKnownHere({ name, value }: { readonly name: string; readonly value: string }): boolean {
  return name !== 'NODE_OPTIONS' || process.allowedNodeEnvironmentFlags.has(value.replace(/=.*/, ''));
}

async function filesOf(hub: Hub, pod: Pod, volume: Volume | undefined): Promise<readonly [string, string | Buffer][]> {
  const admin = hub.api('admin');
  const home = `/api/v1/namespaces/${pod.metadata.namespace}`;
  const dataOf = async (path: string): Promise<[string, string][]> => {
    const { data = {} } = expectStored(await admin.get(path)) as { data?: Readonly<Record<string, string>> };
    return Object.entries(data);
  };
  if (volume?.configMap !== undefined) return dataOf(`${home}/configmaps/${volume.configMap.name}`);
  if (volume?.secret !== undefined) {
    const data = await dataOf(`${home}/secrets/${volume.secret.secretName}`);
    return data.map(([file, text]) => [file, Buffer.from(text, 'base64')]);
  }
  // The API server itself has added this one.
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const answer = await admin.create(`${home}/serviceaccounts/${pod.spec.serviceAccountName}/token`, request);
  const { status } = expectStored(answer) as unknown as { status: { token: string } };
  return [
    ['token', status.token],
    ['namespace', pod.metadata.namespace],
    ['ca.crt', readFileSync(join(hub.folder, 'keys', 'apiserver.crt'))],
  ];
}

/** A pod finds these files at a place that this machine does not have. */
function kubeconfigIn(root: string, hub: Hub): string {
  const file = join(root, 'kubeconfig');
  const of = (name: string): string => join(root, account, name);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'pod',
    clusters: [{ name: 'pod', cluster: { server: hub.server, 'certificate-authority': of('ca.crt') } }],
    users: [{ name: 'pod', user: { token: readFileSync(of('token'), 'utf8') } }],
    contexts: [
      { name: 'pod', context: { cluster: 'pod', user: 'pod', namespace: readFileSync(of('namespace'), 'utf8') } },
    ],
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}
