// Writes deploy/ from the chart: plain YAML, a kustomize base with its overlays, and what watches over the guard. `npm run manifests`.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { parseAllDocuments, stringify } from 'yaml';

const root = fileURLToPath(new URL('..', import.meta.url));
const header = '# Written by `npm run manifests` from charts/stageguard. Do not edit.\n';
const modes = ['self', 'cert-manager'];

/** The files of deploy/ that come from the chart, by path. */
export async function renderManifests(helm) {
  const [self, certManager] = await Promise.all(modes.map((mode) => objectsOf(helm, `certificates.mode=${mode}`)));
  const addedBy = async (value) =>
    (await objectsOf(helm, value)).filter((object) => !self.some((it) => same(object, it)));
  const common = self.filter((object) => certManager.some((other) => same(object, other)));
  const without = (objects) => objects.filter((object) => !common.some((other) => same(object, other)));
  return new Map([
    ['deploy/stageguard.yaml', yaml(self)],
    ['deploy/stageguard-cert-manager.yaml', yaml(certManager)],
    ['deploy/monitoring.yaml', yaml(await addedBy('serviceMonitor.enabled=true,prometheusRule.enabled=true'))],
    ['deploy/dashboard.yaml', yaml(await addedBy('dashboard.enabled=true'))],
    ['deploy/kustomize/base/objects.yaml', yaml(common)],
    ['deploy/kustomize/base/kustomization.yaml', yaml([kustomization(['objects.yaml'])])],
    ...[self, certManager].flatMap((objects, index) => [
      [`deploy/kustomize/overlays/${modes[index]}/objects.yaml`, yaml(without(objects))],
      [
        `deploy/kustomize/overlays/${modes[index]}/kustomization.yaml`,
        yaml([kustomization(['../../base', 'objects.yaml'])]),
      ],
    ]),
  ]);
}

async function objectsOf(helm, value) {
  // A name to put one's own in the place of, by hand or with `images` of kustomize.
  const values = `namespace.create=true,image.repository=stageguard,${value}`;
  const args = ['template', 'stageguard', 'charts/stageguard', '--namespace', 'fleet-stageguard', '--set', values];
  const { stdout } = await promisify(execFile)(helm, args, { cwd: root });
  const objects = parseAllDocuments(stdout).map((document) => document.toJS());
  return objects
    .filter(({ metadata }) => metadata.annotations?.['helm.sh/hook'] === undefined)
    .map(withoutHelm)
    .sort((a, b) => rank(a) - rank(b));
}

/** `kubectl delete -f` follows the file: the webhooks go out of force before anything else but the namespace goes. */
function rank({ kind, metadata }) {
  if (kind === 'Namespace') return 0;
  return metadata.name === 'stageguard-armed' ? 1 : 2;
}

/** The objects are fresh from the parser, nobody else has them. */
function withoutHelm(object) {
  for (const metadata of [object.metadata, object.spec?.template?.metadata]) {
    delete metadata?.labels?.['helm.sh/chart'];
    delete metadata?.labels?.['app.kubernetes.io/managed-by'];
  }
  return object;
}

function kustomization(resources) {
  return { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization', resources };
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

function yaml(objects) {
  const texts = objects.map((object) => stringify(object, { lineWidth: 0, aliasDuplicateObjects: false }));
  return header + texts.join('---\n');
}

/** The helm that is named, that of the end-to-end suite, or that of the machine. */
function findHelm() {
  const folder = execFileSync(join(root, 'tools/kube/build.sh'), ['--print-dir'], { encoding: 'utf8' }).trim();
  const built = join(folder, 'helm');
  return process.env['HELM'] ?? (existsSync(built) ? built : 'helm');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of await renderManifests(findHelm())) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
}
