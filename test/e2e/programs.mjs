import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The programs of the end-to-end suite; built by tools/kube/build.sh. */
export const journeyPrograms = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'helm'];
export const endurancePrograms = [...journeyPrograms, 'cert-manager-controller', 'cert-manager-cainjector'];
const build = fileURLToPath(new URL('../../tools/kube/build.sh', import.meta.url));

/** Where each program is, by name; undefined where one of them is missing. */
export function findPrograms(names) {
  const folders = [process.env['KUBEBUILDER_ASSETS'], cacheFolder()].filter((folder) => folder);
  const found = names.map((name) => [name, folders.map((folder) => join(folder, name)).find(isExecutable)]);
  return found.every(([, path]) => path !== undefined) ? Object.fromEntries(found) : undefined;
}

/** Builds what is missing, which takes minutes, once; shows its progress. */
export function buildPrograms(names) {
  const { status } = spawnSync(build, names, { stdio: 'inherit' });
  const programs = findPrograms(names);
  if (status !== 0 || programs === undefined) {
    throw new Error(`the end-to-end suite has no API server to run against: ${build} ended with ${status}`);
  }
  return programs;
}

function cacheFolder() {
  return spawnSync(build, ['--print-dir'], { encoding: 'utf8' }).stdout?.trim();
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
