import { isDeepStrictEqual } from 'node:util';
import { parseAllDocuments } from 'yaml';
import type { Json } from '../harness/api.js';
import type { Hub } from '../harness/hub.js';
import { kubectl } from '../harness/kubectl.js';

/**
 * Where the stored objects differ from what the manifests alone would have stored, as a tool that keeps them in sync sees
 * it: each manifest is sent anew under another name, as a dry run, so that all defaults are in it.
 */
export async function differences(hub: Hub, manifests: string): Promise<readonly string[]> {
  const objects = parseAllDocuments(manifests).map((document) => document.toJS() as Json | null);
  const found = await Promise.all(objects.filter((object) => object !== null).map((object) => inObject(hub, object)));
  return found.flat().sort();
}

interface Named {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

async function inObject(hub: Hub, object: Json): Promise<readonly string[]> {
  const { kind, metadata } = object as unknown as Named;
  const within = metadata.namespace === undefined ? [] : ['-n', metadata.namespace];
  const stored = await read(hub, ['get', kind, metadata.name, ...within]);
  const renamed = JSON.stringify({ ...object, metadata: { ...metadata, name: `${metadata.name}-again` } });
  const wanted = await read(hub, ['create', '--dry-run=server', '-f', '-'], renamed);
  const paths = pathsThatDiffer(wanted, stored, '').filter((path) => !isOfTheHub(kind, path));
  return [...new Set(paths)].map((path) => `${kind} ${metadata.name}: ${path}`);
}

async function read(hub: Hub, args: readonly string[], stdin = ''): Promise<unknown> {
  const { code, stdout, stderr } = await kubectl(hub, 'admin', [...args, '-o', 'json'], { stdin });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout);
}

/** What the API server, its controllers and Helm write themselves, and every tool knows; and what a stand-in node does. */
function isOfTheHub(kind: string, path: string): boolean {
  if (path.startsWith('status')) return true;
  if (kind === 'Service' && /^spec\.(?:type|externalName|clusterIPs?|ipFamil.*|internalTrafficPolicy)/.test(path))
    return true;
  return /^metadata\.(?:name|uid|generation|resourceVersion|creationTimestamp|annotations\.(?:meta\.helm|deployment\.kubernetes))/.test(
    path,
  );
}

function pathsThatDiffer(one: unknown, other: unknown, path: string): readonly string[] {
  if (isDeepStrictEqual(one, other)) return [];
  if (Array.isArray(one) && Array.isArray(other) && one.length === other.length) {
    return one.flatMap((item, index) => pathsThatDiffer(item, other[index], `${path}[]`));
  }
  if (isRecord(one) && other === undefined) return pathsThatDiffer(one, {}, path);
  if (isRecord(other) && one === undefined) return pathsThatDiffer({}, other, path);
  if (!isRecord(one) || !isRecord(other)) return [path];
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return keys.flatMap((key) => pathsThatDiffer(one[key], other[key], path === '' ? key : `${path}.${key}`));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
