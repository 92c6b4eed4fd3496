import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './api.js';
import type { Hub } from './hub.js';
import { helm, kubectl, type Ran } from './kubectl.js';
import type { User } from './users.js';
import { yamlOf } from './world.js';

/** What one commit brings. */
export interface Commit {
  readonly placement: Json;
  readonly strategy: Json;
  readonly run: Json;
}

const nothingSent: Ran = { code: 0, stdout: '', stderr: '' };

/** Writes the files of a commit, and a kustomization that lists them in the order in which they are needed. */
export function kustomization(hub: Hub, { placement, strategy, run }: Commit, more: object = {}): string {
  const folder = mkdtempSync(join(hub.folder, 'kustomization-'));
  const files = { 'placement.yaml': placement, 'strategy.yaml': strategy, 'run.yaml': run };
  for (const [name, object] of Object.entries(files)) writeFileSync(join(folder, name), yamlOf(object));
  writeFileSync(join(folder, 'kustomization.yaml'), yamlOf({ resources: Object.keys(files), ...more }));
  return folder;
}

/** Writes a chart of these templates. */
export function chart(hub: Hub, templates: readonly Json[]): string {
  const folder = mkdtempSync(join(hub.folder, 'chart-'));
  mkdirSync(join(folder, 'templates'));
  writeFileSync(join(folder, 'Chart.yaml'), yamlOf({ apiVersion: 'v2', name: 'shop', version: '1.0.0' }));
  for (const object of templates) {
    writeFileSync(join(folder, 'templates', `${String(object['kind'])}.yaml`), yamlOf(object));
  }
  return folder;
}

/** Runs Helm; the release is kept in a namespace, whatever the scope of what is in it. */
export function release(
  hub: Hub,
  [verb, ...flags]: readonly ['install' | 'upgrade', ...string[]],
  name: string,
  folder: string,
): Promise<Ran> {
  return helm(hub, [verb, name, folder, '--namespace', 'team-a', ...flags]);
}

/** How a tool writes: as whom, and whether what it applies is merged by the API server. */
interface Sender {
  readonly user?: User;
  readonly isServerSide?: boolean;
}

/** Applies objects in the order given; what comes after a refused one is sent as well. */
function apply(hub: Hub, objects: readonly Json[], sender: Sender & { manager: string }, dryRun = false): Promise<Ran> {
  const { user = 'alice', isServerSide = true, manager } = sender;
  const rehearsal = dryRun ? [`--dry-run=${isServerSide ? 'server' : 'client'}`] : [];
  const merging = isServerSide ? ['--server-side', '--force-conflicts', `--field-manager=${manager}`] : [];
  return kubectl(hub, user, ['apply', ...merging, ...rehearsal, '-f', '-'], { stdin: yamlOf(...objects) });
}

const annotationsOf = ({ metadata }: Json): Readonly<Record<string, string>> =>
  (metadata as { annotations?: Readonly<Record<string, string>> }).annotations ?? {};

function sortedBy(objects: readonly Json[], key: (object: Json) => string): readonly Json[] {
  return [...objects].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

const toolkit = 'kustomize.toolkit.fluxcd.io';

/** Whether Flux leaves an object alone, by what Git and the hub say of it (kustomize-controller apply, ssa shouldSkipApply). */
async function isLeftAlone(hub: Hub, object: Json): Promise<boolean> {
  const { code, stdout } = await kubectl(hub, 'admin', ['get', '-f', '-', '-o', 'json'], { stdin: yamlOf(object) });
  // Of what comes by standard input kubectl makes a list, be it of one.
  const [stored = {}] = code === 0 ? (JSON.parse(stdout) as { items: readonly Json[] }).items.map(annotationsOf) : [];
  const all = [annotationsOf(object), stored];
  if (all.some((one) => one[`${toolkit}/reconcile`] === 'disabled')) return true;
  return code === 0 && all.some((one) => one[`${toolkit}/ssa`] === 'IfNotPresent');
}

/**
 * One reconciliation of a Flux Kustomization: namespaces first; then a dry run of all, then one after the other by their
 * kinds, and the first that is refused ends it (fluxcd/pkg ssa/manager_apply.go ApplyAllStaged, ssa/sort.go).
 */
export async function reconcile(hub: Hub, objects: readonly Json[], user: User = 'alice'): Promise<Ran> {
  const sender = { user, manager: 'kustomize-controller' };
  const wanted: Json[] = [];
  for (const object of sortedBy(objects, ({ kind }) => String(kind))) {
    if (!(await isLeftAlone(hub, object))) wanted.push(object);
  }
  const isDefinition = ({ kind }: Json): boolean => kind === 'Namespace';
  let last = nothingSent;
  for (const stage of [wanted.filter(isDefinition), wanted.filter((object) => !isDefinition(object))]) {
    if (stage.length === 0 || last.code !== 0) continue;
    last = await apply(hub, stage, sender, true);
    for (const object of stage) if (last.code === 0) last = await apply(hub, [object], sender);
  }
  return last;
}

const nameOf = ({ metadata }: Json): string => (metadata as { name: string }).name;

const waveOf = (object: Json): number => Number(annotationsOf(object)['argocd.argoproj.io/sync-wave'] ?? 0);

/** The kinds of Kubernetes that come in these tests, in the order of Argo CD; custom ones come after them. */
const builtIn = ['Namespace', 'ServiceAccount', 'ConfigMap', 'ClusterRoleBinding', 'Deployment', 'Job'];
const rankOf = ({ kind }: Json): string => String(builtIn.indexOf(String(kind)) + 1 || builtIn.length + 1);

/** The hooks of one phase of a sync. */
export const hooksOf = (objects: readonly Json[], phase: string): readonly Json[] =>
  objects.filter((object) => annotationsOf(object)['argocd.argoproj.io/hook'] === phase);

/**
 * One sync of an Argo CD application: a dry run of all, which without ServerSideApply does not reach the server; then wave
 * after wave. Within a wave custom resources go by name, a refused one does not hold up the others, and no wave comes
 * after it (argoproj/gitops-engine pkg/sync/sync_tasks.go Less, pkg/sync/sync_context.go Sync and runTasks).
 */
export async function sync(hub: Hub, objects: readonly Json[], sender: Sender = {}): Promise<Ran> {
  const controller = { ...sender, manager: 'argocd-controller' };
  const sorted = sortedBy(objects, (object) => rankOf(object) + nameOf(object));
  const rehearsal = await apply(hub, sorted, controller, true);
  if (rehearsal.code !== 0) return rehearsal;
  let last = nothingSent;
  for (const wave of [...new Set(sorted.map(waveOf))].sort((one, other) => one - other)) {
    if (last.code !== 0) break;
    const inWave = sorted.filter((object) => waveOf(object) === wave);
    last = await apply(hub, inWave, controller);
  }
  return last;
}
