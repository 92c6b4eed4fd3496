import { parseAllDocuments } from 'yaml';
import type { Json } from '../harness/api.js';
import type { BusyDesk } from './use-desk.js';

interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Group, kind, namespace and name: what Argo CD takes for one and the same object. */
export function keyOf({ apiVersion, kind, metadata }: Json): string {
  const { namespace = '', name } = metadata as Metadata;
  const [version = ''] = String(apiVersion).split('/').slice(-1);
  const group = String(apiVersion).slice(0, -version.length);
  return [group, kind, namespace, name].join(' ');
}

function annotationOf({ metadata }: Json, name: string): string | undefined {
  return (metadata as Metadata).annotations?.[`argocd.argoproj.io/${name}`];
}

/**
 * Does what Argo CD does with a chart: of several objects with one key it keeps the last, it leaves out those whose hook
 * is `Skip`, applies wave by wave, each when the one before is healthy, and deletes the waves in reverse.
 */
export class ArgoCd {
  private waves: readonly string[] = [];

  constructor(private readonly desk: BusyDesk) {}

  async sync(): Promise<void> {
    const { done } = this.desk;
    const namespace = '--namespace fleet-stageguard';
    const yaml = await done(
      `helm template stageguard charts/stageguard ${namespace} --set image.repository=stageguard`,
    );
    this.waves = wavesOf(parseAllDocuments(yaml).map((document) => document.toJS() as Json));
    await done('kubectl create namespace fleet-stageguard --dry-run=client -o yaml | kubectl apply --server-side -f -');
    for (const wave of this.waves) {
      await done(`kubectl apply --server-side --force-conflicts -f - <<'YAML'\n${wave}\nYAML`);
      await done(`kubectl rollout status deployment/stageguard ${namespace} --timeout=2m`);
    }
  }

  async remove(): Promise<void> {
    for (const wave of [...this.waves].reverse()) {
      await this.desk.done(`kubectl delete -f - <<'YAML'\n${wave}\nYAML`);
    }
  }
}

function wavesOf(objects: readonly Json[]): readonly string[] {
  const lastOfEach = [...new Map(objects.map((object) => [keyOf(object), object])).values()];
  const applied = lastOfEach.filter((object) => annotationOf(object, 'hook') !== 'Skip');
  const waveOf = (object: Json): number => Number(annotationOf(object, 'sync-wave') ?? 0);
  const waves = [...new Set(applied.map(waveOf))].sort((one, other) => one - other);
  const textOf = (wave: number): string =>
    applied
      .filter((object) => waveOf(object) === wave)
      .map((object) => JSON.stringify(object))
      .join('\n---\n');
  return waves.map(textOf);
}
