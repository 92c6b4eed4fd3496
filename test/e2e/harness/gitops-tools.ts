import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from './api.js';
import type { Hub } from './hub.js';
import { helm, kubectl, type Ran } from './kubectl.js';
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

/** Server-side apply of objects, in the order given; what comes after a refused one is sent as well. */
function serverSideApply(
  hub: Hub,
  objects: readonly Json[],
  manager: string,
  ...flags: readonly string[]
): Promise<Ran> {
  const args = ['apply', '--server-side', '--force-conflicts', `--field-manager=${manager}`, ...flags, '-f', '-'];
  return kubectl(hub, 'alice', args, { stdin: yamlOf(...objects) });
}

function sortedBy(objects: readonly Json[], key: (object: Json) => string): readonly Json[] {
  return [...objects].sort((one, other) => (key(one) < key(other) ? -1 : 1));
}

/**
 * One reconciliation of a Flux Kustomization: a dry run of all, then one after the other by their kinds, and the first
 * that is refused ends it (fluxcd/pkg ssa/manager_apply.go ApplyAll, ssa/sort.go).
 */
export async function reconcile(hub: Hub, objects: readonly Json[]): Promise<Ran> {
  const sorted = sortedBy(objects, ({ kind }) => String(kind));
  const manager = 'kustomize-controller';
  const rehearsal = await serverSideApply(hub, sorted, manager, '--dry-run=server');
  if (rehearsal.code !== 0) return rehearsal;
  for (const object of sorted) {
    const ran = await serverSideApply(hub, [object], manager);
    if (ran.code !== 0) return ran;
  }
  return rehearsal;
}

const nameOf = ({ metadata }: Json): string => (metadata as { name: string }).name;

function waveOf({ metadata }: Json): number {
  const { annotations = {} } = metadata as { annotations?: Readonly<Record<string, string>> };
  return Number(annotations['argocd.argoproj.io/sync-wave'] ?? 0);
}

/**
 * One sync of an Argo CD application with ServerSideApply: a dry run of all, then wave after wave; within a wave custom
 * resources go by name, a refused one does not hold up the others, and no wave comes after it (argoproj/gitops-engine
 * pkg/sync/sync_tasks.go Less, pkg/sync/sync_context.go Sync and runTasks). Without ServerSideApply it is the same with
 * a dry run that does not reach the server.
 */
export async function sync(hub: Hub, objects: readonly Json[]): Promise<Ran> {
  const manager = 'argocd-controller';
  const sorted = sortedBy(objects, nameOf);
  const rehearsal = await serverSideApply(hub, sorted, manager, '--dry-run=server');
  if (rehearsal.code !== 0) return rehearsal;
  let last = nothingSent;
  for (const wave of [...new Set(sorted.map(waveOf))].sort((one, other) => one - other)) {
    if (last.code !== 0) break;
    const inWave = sorted.filter((object) => waveOf(object) === wave);
    last = await serverSideApply(hub, inWave, manager);
  }
  return last;
}
