import { fixWith } from '../engine/message.js';
import type { Finding } from '../engine/verdict.js';
import { isGenerated } from '../sources/manifests/objects.js';
import type { ManifestObject } from '../sources/manifests/objects.js';
import type { FleetState } from '../fleet/state.js';
import { fieldOf } from '../fleet/json.js';
import type { Family } from '../fleet/kinds.js';
import { plain, quoted } from '../fleet/quoted.js';
import { manifestFinding } from './manifest-checks.js';

/** What is wrong with manifests as a set, by the manifest it is told of. */
export function setFindings(
  manifests: readonly ManifestObject[],
  stored: FleetState,
): ReadonlyMap<ManifestObject, readonly Finding[]> {
  const first = new Map<string, ManifestObject>();
  for (const manifest of manifests) if (!first.has(keyOf(manifest))) first.set(keyOf(manifest), manifest);
  const places = new Map(manifests.map((manifest, at) => [manifest, at]));
  const isAfter = (one: ManifestObject, other: ManifestObject): boolean =>
    (places.get(one) ?? 0) > (places.get(other) ?? 0);
  return new Map(
    manifests.map((manifest): [ManifestObject, readonly Finding[]] => {
      const twin = first.get(keyOf(manifest));
      if (twin !== undefined && twin !== manifest) return [manifest, [duplicate(manifest, twin)]];
      const strategy = strategyOf(manifest, first);
      if (strategy === undefined || !isAfter(strategy, manifest)) return [manifest, []];
      return [manifest, comesLater(manifest, strategy) || isStored(strategy, stored) ? [] : [tooEarly(strategy)]];
    }),
  );
}

function keyOf({ kind, object }: ManifestObject): string {
  return key(kind.family, object.metadata.namespace, object.metadata.name);
}

function key(family: Family, namespace: string | undefined, name: string): string {
  return `${family}/${namespace ?? ''}/${name}`;
}

function placeText({ document }: ManifestObject): string {
  return `${plain(document.file)}:${String(document.locate([]).line)}`;
}

function duplicate(manifest: ManifestObject, twin: ManifestObject): Finding {
  const { kind, object } = manifest;
  const isOneFile = manifest.document.file === twin.document.file;
  return manifestFinding('duplicate', {
    path: ['metadata', 'name'],
    message: `${kind.kind} ${quoted(object.metadata.name)} stands at ${placeText(twin)} already; whichever is applied last wins`,
    fix: isOneFile
      ? 'Remove one of them, or give it a name of its own.'
      : 'Remove one of them, give it a name of its own, or check the files of each hub by themselves.',
    ...(!isOneFile && { severity: 'warn' }),
  });
}

function strategyOf(run: ManifestObject, all: ReadonlyMap<string, ManifestObject>): ManifestObject | undefined {
  if (run.kind.family !== 'UpdateRun' || isGenerated(run)) return undefined;
  const name = fieldOf(fieldOf(run.document.json, 'spec'), 'stagedRolloutStrategyName');
  return typeof name === 'string' ? all.get(key('UpdateStrategy', run.object.metadata.namespace, name)) : undefined;
}

function isStored({ kind, object }: ManifestObject, stored: FleetState): boolean {
  const { name, namespace } = object.metadata;
  return stored.get(kind.family, { name, namespace }).is === 'known';
}

/** Whether whoever wrote the manifests has told the tools that the run comes later. */
function comesLater(run: ManifestObject, strategy: ManifestObject): boolean {
  const isHook =
    annotation(run, 'helm.sh/hook') !== undefined || annotation(run, 'argocd.argoproj.io/hook') !== undefined;
  return isHook || waveOf(run) > waveOf(strategy);
}

function waveOf(manifest: ManifestObject): number {
  return Number(annotation(manifest, 'argocd.argoproj.io/sync-wave') ?? 0);
}

function annotation({ object }: ManifestObject, name: string): string | undefined {
  return object.metadata.annotations[name];
}

function tooEarly(strategy: ManifestObject): Finding {
  const { kind, object } = strategy;
  return manifestFinding('order', {
    path: ['spec', 'stagedRolloutStrategyName'],
    message: `${kind.kind} ${quoted(object.metadata.name)} comes after this run, at ${placeText(strategy)}`,
    fix: fixWith(
      'Put the strategy before the run, and tell the tools that sort.',
      '# kubectl applies in this order: it refuses the run, and a second apply creates it.',
      '# Argo CD sorts by name and tries again: give the run a later argocd.argoproj.io/sync-wave.',
      '# Flux sorts by kind and stops at the run: put it into a second Kustomization that has dependsOn.',
      '# Helm sorts by kind and fails the release: make the run a post-install,post-upgrade hook.',
    ),
  });
}
