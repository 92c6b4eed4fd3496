import { lineKind } from '../../support/printed-fixes.js';
import type { Json } from '../harness/api.js';
import type { Hub } from '../harness/hub.js';
import type { HubAgent } from '../harness/hub-agent.js';
import { kubectl, paste, type Ran } from '../harness/kubectl.js';
import type { Scope } from '../harness/paths.js';
import type { User } from '../harness/users.js';
import { withFix, yamlIn, type Refusal } from './refusal.js';
import { yamlOf } from '../harness/world.js';

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

/** Does what the text says, and returns what is sent next; undefined stands for the same again. */
export type Follow = (refusal: Refusal, site: Site, sent: Sent) => Promise<Sent | undefined>;

/** A rule that refuses, and how its reader gets from the refusal to an admitted write. */
export interface FixCase {
  readonly rule: string;
  /** Which of its fixes, by its name in printed-fixes.ts; what it is about, where nothing can be pasted. */
  readonly when: string;
  /** Which way out, where a fix has several. */
  readonly way?: string;
  readonly scopes?: readonly Scope[];
  readonly prepare?: (site: Site) => Promise<void>;
  readonly write: (site: Site) => Sent;
  /** Without it, all that is printed is pasted. */
  readonly follow?: Follow;
  /** What comes of the admitted write. */
  readonly ends?: (site: Site) => Promise<void>;
}

export const apply = (manifest: Json): Sent => ({ args: ['apply', '-f', '-'], manifest });
export const create = (manifest: Json): Sent => ({ args: ['create', '-f', '-'], manifest });

export function send({ hub }: Site, { user = 'alice', args, manifest }: Sent): Promise<Ran> {
  return kubectl(hub, user, args, manifest === undefined ? {} : { stdin: yamlOf(manifest) });
}

/** Applies something that has nothing to do with the guard. */
export async function put(site: Site, ...manifests: readonly Json[]): Promise<void> {
  await putAs('admin', site, manifests);
}

/** Applies what the refused user is told to bring. */
export async function bring(site: Site, ...manifests: readonly Json[]): Promise<void> {
  await putAs('alice', site, manifests);
}

async function putAs(user: User, { hub }: Site, manifests: readonly Json[]): Promise<void> {
  const ran = await kubectl(hub, user, ['apply', '-f', '-'], { stdin: yamlOf(...manifests) });
  if (ran.code !== 0) throw new Error(ran.stderr);
}

export interface How {
  /** The text names whom to ask. */
  readonly asks?: 'admin';
  readonly env?: Readonly<Record<string, string>>;
}

/** Pastes lines into a shell, to the letter, as the refused user or as whoever the text says. */
async function intoShell(lines: readonly string[], refusal: Refusal, given: { site: Site; sent: Sent; how: How }) {
  const { site, sent, how } = given;
  if (how.asks !== undefined && !refusal.sentence.includes('fleet admin')) {
    throw new Error(`does not say whom to ask: ${refusal.sentence}`);
  }
  for (const line of lines) refusal.used.add(lineKind(line) ?? '');
  const text = lines.map((line) => line.replace(/^# (?:or: )?/, '')).join('\n');
  const user = how.asks ?? sent.user ?? 'alice';
  const ran = await paste(site.hub, user, text, how.env === undefined ? {} : { env: how.env });
  if (ran.code !== 0) throw new Error(`${text}\n${ran.stderr}`);
}

/** Pastes the commands that stand behind no comment sign. */
export function commands(how: How = {}): Follow {
  return async (refusal, site, sent) => {
    const lines = refusal.lines.filter((line) => line.startsWith('kubectl '));
    if (lines.length > 0) await intoShell(lines, refusal, { site, sent, how });
    return undefined;
  };
}

/** Pastes all that stands behind no comment sign: commands into a shell, YAML into the manifest or in its place. */
export function pasted(how: How = {}): Follow {
  return async (refusal, site, sent) => {
    await commands(how)(refusal, site, sent);
    const yaml = yamlIn(refusal);
    if (yaml === undefined) return undefined;
    return 'kind' in yaml ? apply(yaml) : { ...sent, manifest: withFix(sent.manifest ?? {}, refusal) };
  };
}

/** Pastes the command of that verb from behind a comment sign. */
export function another(verb: string, how: How = {}): Follow {
  return async (refusal, site, sent) => {
    const line = refusal.lines.find((each) => new RegExp(`^# (?:or: )?kubectl ${verb} `).test(each));
    if (line === undefined) throw new Error(`there is no other way to ${verb} in ${refusal.lines.join('\n')}`);
    await intoShell([line], refusal, { site, sent, how });
    return undefined;
  };
}

/** The old run goes, the one that is printed in its place comes. */
export function replacedBy(how: How = {}): Follow {
  return async (refusal, site, sent) => {
    await another('delete')(refusal, site, sent);
    return pasted(how)(refusal, site, sent);
  };
}

/** What else has to happen, before what is pasted. */
export function after(happens: (site: Site) => Promise<unknown>, follow: Follow = pasted()): Follow {
  return async (refusal, site, sent) => {
    await happens(site);
    return follow(refusal, site, sent);
  };
}

/** What the text leaves to its reader, after what is pasted; then the same again. */
export function then(follow: Follow, happens: (site: Site) => Promise<unknown>): Follow {
  return async (refusal, site, sent) => {
    const next = await follow(refusal, site, sent);
    await happens(site);
    return next;
  };
}

/** There is nothing to paste: the words say it, and `next` is what they say. */
export function byWords(next: (sent: Sent, site: Site) => Sent): Follow {
  return (refusal, site, sent) => {
    if (refusal.lines.length > 0) throw new Error(`there is something to paste:\n${refusal.lines.join('\n')}`);
    return Promise.resolve(next(sent, site));
  };
}
