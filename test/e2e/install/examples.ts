import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';

const folder = join(import.meta.dirname, '..', '..', '..', 'deploy', 'examples');

interface ArgoIgnore {
  readonly kind: string;
  readonly name: string;
  readonly jqPathExpressions: readonly string[];
}

interface FluxIgnore {
  readonly paths: readonly string[];
  readonly target: { readonly kind: string; readonly name: string };
}

interface Example {
  readonly kind: string;
  readonly spec: {
    readonly ignoreDifferences: readonly ArgoIgnore[];
    readonly driftDetection: { readonly ignore: readonly FluxIgnore[] };
  };
}

function example(file: string, kind: string): Example['spec'] {
  const objects = parseAllDocuments(readFileSync(join(folder, file), 'utf8')).map((each) => each.toJS() as Example);
  const found = objects.find((object) => object.kind === kind);
  if (found === undefined) throw new Error(`${file} has no ${kind}`);
  return found.spec;
}

/** What the Application tells Argo CD to ignore, as `differences` writes it. */
export function ignoredByArgoCd(): readonly string[] {
  return example('argocd.yaml', 'Application')
    .ignoreDifferences.flatMap(({ kind, name, jqPathExpressions }) =>
      jqPathExpressions.map((path) => `${kind} ${name}: ${path.replace(/^\./, '').replaceAll('[]?', '[]')}`),
    )
    .sort();
}

/** What the HelmRelease tells Flux to ignore, with the places in lists. */
export function ignoredByFlux(): readonly string[] {
  return example('flux-helm.yaml', 'HelmRelease')
    .driftDetection.ignore.flatMap(({ paths, target }) => paths.map((path) => `${target.kind} ${target.name}: ${path}`))
    .sort();
}
