import type { Json } from '../api.js';
import type { Hub } from '../hub.js';
import type { HubAgent } from '../hub-agent.js';
import { kubectl, paste, type Ran } from '../kubectl.js';
import type { Scope } from '../paths.js';
import type { User } from '../users.js';
import { commandsOf, mend, yamlIn, type Refusal } from './refusal.js';
import { yamlOf } from '../world.js';

/** Where a fix is tried: a hub, a scope, and a name that nobody else uses. */
export interface Site {
  readonly hub: Hub;
  readonly agent: HubAgent;
  readonly scope: Scope;
  readonly name: string;
}

/** What is sent, as kubectl arguments; a manifest goes to standard input. */
export interface Sent {
  readonly user?: User;
  readonly args: readonly string[];
  readonly manifest?: Json;
}

/** A rule that refuses, and how its reader gets from the refusal to an admitted write. */
export interface FixCase {
  readonly rule: string;
  /** What is special about it, where a rule has several. */
  readonly when?: string;
  readonly scopes?: readonly Scope[];
  prepare?(site: Site): Promise<void>;
  write(site: Site): Sent;
  /** Does what the text says, and returns what is sent next; undefined stands for the same again. */
  follow(refusal: Refusal, site: Site, sent: Sent): Promise<Sent | undefined>;
}

export const apply = (manifest: Json): Sent => ({ args: ['apply', '-f', '-'], manifest });

export function send({ hub }: Site, { user = 'alice', args, manifest }: Sent): Promise<Ran> {
  return kubectl(hub, user, args, manifest === undefined ? {} : { stdin: yamlOf(manifest) });
}

/** Applies something that has nothing to do with the guard. */
export async function put(site: Site, ...manifests: readonly Json[]): Promise<void> {
  const ran = await kubectl(site.hub, 'admin', ['apply', '-f', '-'], { stdin: yamlOf(...manifests) });
  if (ran.code !== 0) throw new Error(ran.stderr);
}

/** Runs one of the printed commands to the letter. */
export async function runCommand(
  refusal: Refusal,
  site: Site,
  { at = 0, user = 'alice', env = {} }: { at?: number; user?: User; env?: Record<string, string> } = {},
): Promise<Ran> {
  const command = commandsOf(refusal)[at];
  if (command === undefined) throw new Error(`there is no command ${at} in ${refusal.lines.join('\n')}`);
  const ran = await paste(site.hub, user, command, { env });
  if (ran.code !== 0) throw new Error(`${command}\n${ran.stderr}`);
  return ran;
}

/** The only command mends it, and the same write goes through. */
export function byCommand(options: { at?: number; user?: User } = {}): FixCase['follow'] {
  return async (refusal, site) => {
    await runCommand(refusal, site, options);
    return undefined;
  };
}

/** The printed lines replace those of the manifest. */
export const byLines: FixCase['follow'] = (refusal, _site, sent) =>
  Promise.resolve({ ...sent, manifest: mend(sent.manifest ?? {}, refusal) });

/** The printed manifest is applied instead. */
export const byManifest: FixCase['follow'] = (refusal) => Promise.resolve(apply(yamlIn(refusal)));

/** There is nothing to paste: the words say it, and `next` is what they say. */
export function byWords(next: (sent: Sent, site: Site) => Sent): FixCase['follow'] {
  return (refusal, site, sent) => {
    if (refusal.lines.length > 0) throw new Error(`there is something to paste:\n${refusal.lines.join('\n')}`);
    return Promise.resolve(next(sent, site));
  };
}
