/** Behind what KubeFleet of today aborts a run for, on a hub with a KubeFleet that nobody here has seen. */
export function mayGoOn(version: string): string {
  return ` (KubeFleet ${version} is newer than this guard knows: it may go on all the same)`;
}
