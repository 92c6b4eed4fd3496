import { quoteList } from '../../engine/message.js';
import type { ClusterVersion, LostBinding } from '../../fleet/cluster-versions.js';
import { quoted } from '../../fleet/quoted.js';

/** More snapshots than this at once only hide the first. */
const mostSnapshots = 5;

/** `"eu-1" and "eu-2" have "3", "us-1" has none`. */
export function versionsText(versions: readonly ClusterVersion[]): string {
  const byIndex = new Map<string | undefined, string[]>();
  for (const { cluster, index } of versions) byIndex.set(index, [...(byIndex.get(index) ?? []), cluster]);
  const groups = [...byIndex].map(
    ([index, clusters]) =>
      `${quoteList(clusters)} ${clusters.length === 1 ? 'has' : 'have'} ${index === undefined ? 'none' : quoted(index)}`,
  );
  const more = groups.length - mostSnapshots;
  return [...groups.slice(0, mostSnapshots), ...(more > 0 ? [`others have ${String(more)} more`] : [])].join(', ');
}

/** `binding "shop-eu-1" of cluster "eu-1", which has "3" by now`. */
export function lostBindingText({ name, cluster, index }: LostBinding): string {
  const version = index === undefined ? 'no resource snapshot' : `resource snapshot ${quoted(index)}`;
  return `binding ${quoted(name)} of cluster ${quoted(cluster)}, which has ${version} by now`;
}

/** The newest snapshot that one of the clusters has. */
export function newestOf(versions: readonly ClusterVersion[]): string | undefined {
  const indices = versions.flatMap(({ index }) => index ?? []);
  return indices.sort((a, b) => Number(b) - Number(a))[0];
}
