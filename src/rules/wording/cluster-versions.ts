import { quoteList } from '../../engine/message.js';
import type { ClusterVersion, LostBinding } from '../../fleet/cluster-versions.js';
import { quoted } from '../../fleet/quoted.js';

/** More snapshots than this at once only hide the first. */
const mostSnapshots = 5;

/** `"eu-1" and "eu-2" have "3", "us-1" has none`. */
export function versionsText(versions: readonly ClusterVersion[]): string {
  const byText = new Map<string, string[]>();
  for (const version of versions) {
    const text = versionText(version, 'none');
    byText.set(text, [...(byText.get(text) ?? []), version.cluster]);
  }
  const groups = [...byText].map(
    ([text, clusters]) => `${quoteList(clusters)} ${clusters.length === 1 ? 'has' : 'have'} ${text}`,
  );
  const more = groups.length - mostSnapshots;
  return [...groups.slice(0, mostSnapshots), ...(more > 0 ? [`others have ${String(more)} more`] : [])].join(', ');
}

/** `binding "shop-eu-1" of cluster "eu-1", which has "3" by now`. */
export function lostBindingText(lost: LostBinding): string {
  const { name, cluster, index } = lost;
  const version = `${index === undefined ? '' : 'resource snapshot '}${versionText(lost, 'no resource snapshot')}`;
  return `binding ${quoted(name)} of cluster ${quoted(cluster)}, which has ${version} by now`;
}

function versionText({ index, hasOtherOverrides }: ClusterVersion, none: string): string {
  if (index === undefined) return none;
  return `${quoted(index)}${hasOtherOverrides ? ' with other overrides' : ''}`;
}

/** The newest snapshot that one of the clusters has. */
export function newestOf(versions: readonly ClusterVersion[]): string | undefined {
  const indices = versions.flatMap(({ index }) => index ?? []);
  return indices.sort((a, b) => Number(b) - Number(a))[0];
}
