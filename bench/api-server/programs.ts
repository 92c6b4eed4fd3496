import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/* To be imported before the harness of the end-to-end suite, which looks here for its programs (tools/kube/build.sh). */

const folder = execFileSync(join(process.cwd(), 'tools/kube/build.sh'), ['--print-dir'], { encoding: 'utf8' }).trim();
const names = ['etcd', 'kube-apiserver', 'kubectl', 'helm'];
Object.assign(globalThis, {
  programs: Object.fromEntries(names.map((name) => [name, join(folder, name)])),
  runner: process.pid,
});
