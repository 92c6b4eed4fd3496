import type { Answer, Api, Json } from '../harness/api.js';
import type { Hub } from '../harness/hub.js';
import type { Condition } from '../harness/hub-objects.js';
import { kubectl } from '../harness/kubectl.js';
import { pathOf, type Scope } from '../harness/paths.js';
import { yamlOf } from '../harness/world.js';
import { nameOnly } from './prepared.js';

/** The request that is approved, and the version through which it is. */
export interface Place {
  readonly hub: Hub;
  readonly scope: Scope;
  readonly name: string;
  readonly version: string;
}

/** Sends an approval as alice, and tells what came back. */
export type Send = (place: Place) => Promise<Sent>;

export interface Sent {
  /** Why it was not stored; undefined where it was. */
  readonly refusal: string | undefined;
  readonly warnings: readonly string[];
}

const objectPath = ({ scope, name, version }: Place): string => pathOf('ApprovalRequest', scope, name, version);
const statusPath = (place: Place): string => `${objectPath(place)}/status`;
const alice = ({ hub }: Place): Api => hub.api('alice');

function sentBy({ status, body, warnings }: Answer): Sent {
  return { refusal: status < 300 ? undefined : JSON.stringify(body['message']), warnings };
}

export const byMergePatch =
  (...conditions: readonly object[]): Send =>
  async (place) =>
    sentBy(await alice(place).patch(statusPath(place), 'merge', { status: { conditions } }));

export const byJsonPatch =
  (op: 'add' | 'replace', path: string, value: unknown): Send =>
  async (place) =>
    sentBy(await alice(place).patch(statusPath(place), 'json', [{ op, path, value }]));

/** Reads the whole object and sends it back with one condition set, whatever else is in it. */
export const byPut =
  (set: (metadata: Json) => object, cut: (metadata: Json) => Json = (metadata) => metadata): Send =>
  async (place) => {
    const { body } = await alice(place).get(objectPath(place));
    const metadata = body['metadata'] as Json;
    const { conditions = [] } = (body['status'] ?? {}) as { conditions?: readonly Condition[] };
    const others = conditions.filter(({ type }) => type !== 'Approved');
    const object = { ...body, metadata: cut(metadata), status: { conditions: [...others, set(metadata)] } };
    return sentBy(await alice(place).replace(statusPath(place), object));
  };

export const byApplyPatch =
  (condition: object): Send =>
  async (place) => {
    const object = { ...nameOnly(place.scope, place.name, place.version), status: { conditions: [condition] } };
    return sentBy(await alice(place).patch(`${statusPath(place)}?fieldManager=alice`, 'apply', object));
  };

/** What kubectl itself makes of it, from a manifest. */
export const byKubectlApply =
  (condition: object): Send =>
  async ({ hub, scope, name, version }) => {
    const stdin = yamlOf({ ...nameOnly(scope, name, version), status: { conditions: [condition] } });
    const args = ['apply', '--server-side', '--subresource=status', '-f', '-'];
    const { code, stderr } = await kubectl(hub, 'alice', args, { stdin });
    const warnings = stderr.split('\n').flatMap((line) => /^Warning: (.*)$/.exec(line)?.[1] ?? []);
    return { refusal: code === 0 ? undefined : stderr, warnings };
  };
