import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { programs, type Hub } from '../harness/hub.js';
import { paste, type Ran } from '../harness/kubectl.js';

const root = join(import.meta.dirname, '..', '..', '..');

/** The commands below a heading of a document of docs/, block by block. */
export function commandsOf(file: string, heading: string): readonly string[] {
  const text = readFileSync(join(root, 'docs', file), 'utf8');
  const section = text.split(/^#+ /m).find((each) => each.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`${file} has no section "${heading}"`);
  return [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** A desk at which the commands of the documents are pasted, as they stand. */
export interface Desk {
  readonly folder: string;
  readonly paste: (commands: string | undefined) => Promise<Ran>;
}

/**
 * The folder is the repository as far as the documents know it. The one thing that is not as at home: the Service has the
 * port on which a stand-in node plays it.
 */
export function deskAt(hub: Hub, servicePort: number): Desk {
  const folder = hub.folder;
  for (const part of ['charts', 'deploy', 'examples'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  replaceIn(
    join(folder, 'charts/stageguard/values.yaml'),
    /^(service:\n(?: {2}#.*\n)* {2}port:) 443$/m,
    `$1 ${servicePort}`,
  );
  for (const file of ['stageguard.yaml', 'kustomize/base/objects.yaml', 'kustomize/overlays/self/objects.yaml']) {
    replaceIn(join(folder, 'deploy', file), /port: 443$/gm, `port: ${servicePort}`);
  }
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  const script = `#!/bin/sh\nexec ${process.execPath} ${join(folder, 'stageguard.mjs')} "$@"\n`;
  writeFileSync(join(bin, 'stageguard'), script, { mode: 0o755 });
  const env = { PATH: `${bin}:${dirname(programs.kubectl)}:${dirname(programs.helm)}:${process.env['PATH'] ?? ''}` };
  return { folder, paste: (commands) => paste(hub, 'admin', commands ?? 'false', { env }) };
}

function replaceIn(file: string, what: RegExp, by: string): void {
  const text = readFileSync(file, 'utf8');
  if (!what.test(text)) throw new Error(`${file} has no ${String(what)}`);
  what.lastIndex = 0;
  writeFileSync(file, text.replace(what, by));
}
