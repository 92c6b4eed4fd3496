import { fieldOf } from '../fleet/json.js';
import { storageVersion, type KindOfFamily } from '../fleet/kinds.js';
import type { ObjectKey } from '../fleet/state.js';

/** One call to the hub's API server. */
export interface Call {
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly body?: unknown;
  readonly accept?: string;
  readonly signal?: AbortSignal;
}

/** The hub's API server, for those who watch nothing. */
export interface HubCalls {
  /** The JSON of the answer; fails with HubError unless the status is 2xx. */
  call(call: Call): Promise<unknown>;
}

/** What is told of one page of a list once all its objects have come. */
export interface ListEnd {
  readonly version: string | undefined;
  /** The token of the next page; empty after the last. */
  readonly next: string;
  readonly bytes: number;
}

/** The hub's API server, as far as the guard talks to it. */
export interface Hub extends HubCalls {
  /** One page of a list; each of its objects is handed over as soon as it has come. */
  list(call: Call, take: (item: unknown) => void): Promise<ListEnd>;
  /** The JSON of each line of a long answer, as it comes. Settles once the answer begins. */
  stream(call: Call): Promise<AsyncIterable<unknown>>;
}

/** An answer that is not 2xx, or JSON that is none. */
export class HubError extends Error {
  constructor(
    /** The HTTP status; 0 where the answer itself was unusable. */
    readonly status: number,
    message: string,
    /** How long the API server asks to be left alone. */
    readonly retryAfterSeconds = 0,
  ) {
    super(message);
    this.name = 'HubError';
  }

  /** From the body of an answer or of an ERROR event: a Status object, where all is well. */
  static from(status: number, body: unknown, retryAfterSeconds = 0): HubError {
    const message = fieldOf(body, 'message');
    const code = fieldOf(body, 'code');
    const actual = status === 0 && typeof code === 'number' ? code : status;
    const text = typeof message === 'string' && message !== '' ? message : 'no reason given';
    return new HubError(actual, `the API server answered ${String(actual)}: ${text.slice(0, 500)}`, retryAfterSeconds);
  }
}

/** The HTTP status of an answer that was an error; undefined for errors that are no answer. */
export function statusOf(error: unknown): number | undefined {
  return error instanceof HubError ? error.status : undefined;
}

/** An answer that will be the same the next time: rights are missing, or the namespace is. */
export function isFinal(error: unknown): boolean {
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500 && status !== 429;
}

/** The API server names what it sends, so that a watch can go on from there. */
export interface Identity {
  readonly key: ObjectKey;
  readonly resourceVersion: string;
}

/** Name, namespace and version of an object; undefined for JSON that is no object of a hub. */
export function identityOf(json: unknown): Identity | undefined {
  const metadata = fieldOf(json, 'metadata');
  const name = fieldOf(metadata, 'name');
  const namespace = fieldOf(metadata, 'namespace');
  const resourceVersion = versionOf(json);
  if (typeof name !== 'string' || resourceVersion === undefined) return undefined;
  return { key: { name, ...(typeof namespace === 'string' && { namespace }) }, resourceVersion };
}

/** The resourceVersion of an object, a list or a bookmark. */
export function versionOf(json: unknown): string | undefined {
  const version = fieldOf(fieldOf(json, 'metadata'), 'resourceVersion');
  return typeof version === 'string' && version !== '' ? version : undefined;
}

/** One page of a list, and the token of the next; fails for JSON that is no list. */
export function pageOf(json: unknown): { readonly items: readonly unknown[]; readonly next: string } {
  // An empty list of metadata says null.
  const items = fieldOf(json, 'items') ?? (versionOf(json) === undefined ? undefined : []);
  const next = fieldOf(fieldOf(json, 'metadata'), 'continue');
  if (!Array.isArray(items)) throw new HubError(0, 'the API server sent no list');
  return { items, next: typeof next === 'string' ? next : '' };
}

/** What the API server is asked for where names, labels and annotations are all that is needed. */
export const metadataOnly = {
  object: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
  list: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
} as const;

/**
 * Snapshots hold up to 800 KiB of manifests, of a member cluster rules read only the labels, and of overrides of cluster
 * scope whether there is one.
 */
function isMetadataEnough({ family, namespaced }: KindOfFamily): boolean {
  return family === 'ResourceSnapshot' || family === 'MemberCluster' || (family === 'OverrideSnapshot' && !namespaced);
}

/** The Accept header for a list of names and versions, whatever the kind. */
export const metadataList = metadataOnly.list;

/** The Accept header for one object of a kind, or a list of them. A watch sends single objects. */
export function acceptFor(kind: KindOfFamily, what: 'object' | 'list'): string {
  return isMetadataEnough(kind) ? metadataOnly[what] : 'application/json';
}

/** `/apis/GROUP/VERSION`: what of a group is served. */
export function groupPath(group: string): string {
  return `/apis/${group}/${storageVersion}`;
}

/** The objects of a kind: in one namespace, or everywhere. */
export function collectionPath(kind: KindOfFamily, namespace?: string): string {
  const scope = kind.namespaced && namespace !== undefined ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${groupPath(kind.group)}${scope}/${kind.plural}`;
}

export function objectPath(kind: KindOfFamily, { name, namespace }: ObjectKey): string {
  return `${collectionPath(kind, namespace)}/${encodeURIComponent(name)}`;
}
