import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The programs of the end-to-end suite; built by tools/kube/build.sh. */
const hubPrograms = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl', 'helm'];
export const journeyPrograms = [...hubPrograms, 'promtool', 'actionlint'];
export const endurancePrograms = [...hubPrograms, 'cert-manager-controller', 'cert-manager-cainjector'];
/** The oldest API server that the guard is for, in the place of the newest. */
export const oldestPrograms = ['etcd', 'oldest-kube-apiserver', 'kubectl', 'helm'];
const build = fileURLToPath(new URL('../../../tools/kube/build.sh', import.meta.url));

/** Where each program is, by name; undefined where one of them is missing. */
export function findPrograms(names) {
  const found = new Map([...builtAmong(names), ...broughtAlong(names)]);
  return names.every((name) => found.has(name)) ? Object.fromEntries(found) : undefined;
}

/** Builds what is missing, which takes minutes, once; shows its progress. */
export function buildPrograms(names) {
  const brought = new Map(broughtAlong(names));
  const missing = names.filter((name) => !brought.has(name));
  const { status } = spawnSync(build, missing, { stdio: 'inherit' });
  const programs = findPrograms(names);
  if (status !== 0 || programs === undefined) {
    throw new Error(`the end-to-end suite has no API server to run against: ${build} ended with ${status}`);
  }
  return programs;
}

/** Those in a folder of the user's own, of whatever version. */
function broughtAlong(names) {
  const folder = process.env['KUBEBUILDER_ASSETS'];
  if (!folder) return [];
  return names.map((name) => [name, join(folder, name)]).filter(([, path]) => isExecutable(path));
}

/** Those in the cache, in the versions that we ask for. */
function builtAmong(names) {
  const { stdout } = spawnSync(build, ['--print-built', ...names], { encoding: 'utf8' });
  return (stdout ?? '')
    .split('\n')
    .filter((path) => path !== '')
    .map((path) => [basename(path), path]);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
