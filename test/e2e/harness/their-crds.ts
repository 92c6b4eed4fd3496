import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** A folder of KubeFleet's own definitions, one folder a version, for whoever has them at hand. */
const folder = process.env['KUBEFLEET_CRDS'];
const entries = folder !== undefined && existsSync(folder) ? readdirSync(folder, { withFileTypes: true }) : [];

/** Each version and where its definitions are. */
export const theirCrds: readonly [string, string][] = entries
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => [name, join(folder ?? '', name)]);
