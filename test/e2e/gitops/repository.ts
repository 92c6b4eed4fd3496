import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../harness/api.js';
import { expectStored, type Hub } from '../harness/hub.js';
import { kubectl } from '../harness/kubectl.js';
import { yamlOf } from '../harness/world.js';

const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'gitops');

/** A clone of examples/gitops, whose objects have a suffix of their own, so that several tools find room on one hub. */
export interface Repository {
  readonly folder: string;
  edit(file: string, change: (text: string) => string): void;
  /** What kustomize makes of a folder. */
  build(path: string, patches?: readonly object[]): Promise<readonly Json[]>;
  /** The documents of a file. */
  documents(file: string): readonly Json[];
}

export function cloneOfExample(hub: Hub, suffix: string): Repository {
  const folder = mkdtempSync(join(hub.folder, `repository-${suffix}-`));
  cpSync(example, folder, { recursive: true });
  const edit = (file: string, change: (text: string) => string): void => {
    const path = join(folder, file);
    writeFileSync(path, change(readFileSync(path, 'utf8')));
  };
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.yaml') || !statSync(join(folder, file)).isFile()) continue;
    edit(file, (text) => text.replaceAll(/: (shop|rings)(?=[-},\s])/g, `: $1-${suffix}`));
  }
  return {
    folder,
    edit,
    documents: (file) => objectsIn(readFileSync(join(folder, file), 'utf8')),
    async build(path, patches = []) {
      const wrapper = mkdtempSync(join(hub.folder, 'kustomization-'));
      const resources = [relative(wrapper, join(folder, path))];
      writeFileSync(join(wrapper, 'kustomization.yaml'), yamlOf({ resources, patches }));
      const { code, stdout, stderr } = await kubectl(hub, 'admin', ['kustomize', wrapper]);
      if (code !== 0) throw new Error(stderr);
      return objectsIn(stdout);
    },
  };
}

const objectsIn = (text: string): readonly Json[] => parseAllDocuments(text).map((document) => document.toJS() as Json);

interface JobSpec {
  readonly template: {
    readonly spec: {
      readonly serviceAccountName: string;
      readonly containers: readonly [{ readonly args: readonly string[] }];
      readonly volumes: readonly [{ readonly configMap: { readonly name: string } }];
    };
  };
}

const namespace = '/api/v1/namespaces/fleet-stageguard';

/** The command line of a stored Job, with its files as a kubelet mounts them and the rights of its ServiceAccount. */
export async function commandOf(hub: Hub, name: string): Promise<readonly string[]> {
  const admin = hub.api('admin');
  const job = expectStored(await admin.get(`/apis/batch/v1/namespaces/fleet-stageguard/jobs/${name}`));
  const { serviceAccountName, containers, volumes } = (job['spec'] as JobSpec).template.spec;
  const { data } = expectStored(await admin.get(`${namespace}/configmaps/${volumes[0].configMap.name}`));
  const pod = mkdtempSync(join(hub.folder, 'job-'));
  mkdirSync(join(pod, 'manifests', '..2026'), { recursive: true });
  symlinkSync('..2026', join(pod, 'manifests', '..data'));
  for (const [file, text] of Object.entries(data as Readonly<Record<string, string>>)) {
    writeFileSync(join(pod, 'manifests', '..2026', file), text);
    symlinkSync(join('..data', file), join(pod, 'manifests', file));
  }
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 3600 } };
  const answer = expectStored(await admin.create(`${namespace}/serviceaccounts/${serviceAccountName}/token`, request));
  const { token } = answer['status'] as { token: string };
  const kubeconfig = JSON.parse(readFileSync(hub.kubeconfig('admin'), 'utf8')) as Json;
  const users = [{ name: 'admin', user: { token } }];
  writeFileSync(join(pod, 'kubeconfig'), JSON.stringify({ ...kubeconfig, users }));
  const args = containers[0].args.map((arg) => arg.replace(/^\/manifests/, join(pod, 'manifests')));
  return [...args, '--kubeconfig', join(pod, 'kubeconfig')];
}
