import { randomUUID } from 'node:crypto';
import { mkdirSync, readlinkSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Files = Readonly<Record<string, string | Buffer>>;

/** Changes a mounted Secret as a kubelet does: a folder for each version, and a link that turns from one to the next. */
export function deliver(mounted: string, files: Files): void {
  const version = `..${randomUUID()}`;
  mkdirSync(join(mounted, version), { recursive: true });
  for (const [name, content] of Object.entries(files)) writeFileSync(join(mounted, version, name), content);
  const before = versionIn(mounted);
  symlinkSync(version, join(mounted, '..data_tmp'));
  renameSync(join(mounted, '..data_tmp'), join(mounted, '..data'));
  if (before !== undefined) rmSync(join(mounted, before), { recursive: true });
}

function versionIn(mounted: string): string | undefined {
  try {
    return readlinkSync(join(mounted, '..data'));
  } catch {
    // The first one.
    return undefined;
  }
}
