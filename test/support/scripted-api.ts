import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { kinds, type KindOfFamily } from '../../src/fleet/kinds.js';
import { scratchFolder } from './scratch.js';

/** What goes wrong with one request. `after` events of a watch, where it is a watch. */
export type Fault =
  | { readonly is: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly is: 'cut' }
  | { readonly is: 'cut in the middle' }
  | { readonly is: 'stall' }
  | { readonly is: 'garbage' }
  | { readonly is: 'error event'; readonly status: number };

export type Verb = 'discover' | 'list' | 'watch' | 'get' | 'post' | 'put' | 'delete';

export interface Json {
  readonly [field: string]: unknown;
}

interface Stored extends Json {
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly resourceVersion: string };
}

interface Event {
  readonly version: number;
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: Stored;
}

interface Watcher {
  readonly kind: KindOfFamily;
  readonly namespace: string | undefined;
  readonly response: ServerResponse;
  readonly isPartial: boolean;
  sent: number;
  fault: Fault | undefined;
}

export interface Seen {
  readonly verb: Verb;
  readonly path: string;
}

/** Served beside the kinds of the fleet. */
export const leaseKind = {
  family: 'Lease',
  kind: 'Lease',
  plural: 'leases',
  group: 'coordination.k8s.io',
  namespaced: true,
  versions: ['v1'],
} as unknown as KindOfFamily;

const workKind = {
  family: 'Work',
  kind: 'Work',
  plural: 'works',
  group: 'placement.kubernetes-fleet.io',
  namespaced: true,
  versions: ['v1beta1'],
} as unknown as KindOfFamily;

const served = [...kinds, leaseKind, workKind];

/** An API server on loopback that holds objects, tells of their changes, and fails as it is told. */
export class ScriptedApi {
  /** Faults of the next requests of a verb, in order. */
  readonly faults: Record<Verb, Fault[]> = {
    discover: [],
    list: [],
    watch: [],
    get: [],
    post: [],
    put: [],
    delete: [],
  };
  readonly requests: Seen[] = [];
  /** Kinds that are not served. */
  readonly unserved = new Set<string>();
  /** What a POST is answered. */
  answerPost: (path: string, body: Json) => Json = () => ({});
  /** Other paths than those of the fleet. */
  readonly pages = new Map<string, Json>();

  private readonly objects = new Map<string, Map<string, Stored>>();
  private readonly history = new Map<string, Event[]>();
  private readonly watchers = new Set<Watcher>();
  private version = 100;
  private oldest = 0;
  private isHeld = false;
  private readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      this.answer(request, response);
    });
    this.server.keepAliveTimeout = 0;
  }

  static async start(): Promise<ScriptedApi> {
    const api = new ScriptedApi();
    await new Promise<void>((resolve) => api.server.listen(0, '127.0.0.1', resolve));
    return api;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** A kubeconfig file that leads here. */
  kubeconfig(user: Json = { token: 'test' }): string {
    const { port } = this.server.address() as AddressInfo;
    const file = join(scratchFolder(), 'kubeconfig');
    const config = {
      'current-context': 'test',
      clusters: [
        { name: 'test', cluster: { server: `http://127.0.0.1:${String(port)}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'test', user }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
    };
    writeFileSync(file, JSON.stringify(config));
    return file;
  }

  /** Creates or replaces an object; the JSON says its kind by `kind`. */
  put(json: Json): void {
    const kind = served.find((one) => one.kind === json['kind']);
    if (kind === undefined) throw new Error(`unknown kind ${String(json['kind'])}`);
    const all = this.of(kind);
    const metadata = json['metadata'] as { name: string; namespace?: string };
    const key = keyOf(metadata);
    const type = all.has(key) ? 'MODIFIED' : 'ADDED';
    const object = { ...json, metadata: { ...metadata, resourceVersion: String(++this.version) } };
    all.set(key, object);
    this.tell(kind, { version: this.version, type, object });
  }

  remove(kind: KindOfFamily, name: string, namespace?: string): void {
    const key = keyOf({ name, ...(namespace !== undefined && { namespace }) });
    const object = this.of(kind).get(key);
    if (object === undefined) return;
    this.of(kind).delete(key);
    const last = { ...object, metadata: { ...object.metadata, resourceVersion: String(++this.version) } };
    this.tell(kind, { version: this.version, type: 'DELETED', object: last });
  }

  truth(kind: KindOfFamily): readonly Stored[] {
    return [...this.of(kind).values()];
  }

  /** Watches cannot go on from before this moment: they get 410. */
  compact(): void {
    this.oldest = this.version;
    this.history.clear();
  }

  get openWatches(): number {
    return this.watchers.size;
  }

  /** Every watch loses its connection. */
  cutWatches(): void {
    for (const { response } of this.watchers) response.destroy();
    this.watchers.clear();
  }

  /** Watches fall behind until they are released. */
  holdWatches(): void {
    this.isHeld = true;
  }

  releaseWatches(): void {
    this.isHeld = false;
    for (const watcher of this.watchers) this.catchUp(watcher);
  }

  /** Says the same to every watch that is open. */
  sayToWatches(line: string): void {
    for (const { response } of this.watchers) if (!response.writableEnded) response.write(line);
  }

  count(verb: Verb): number {
    return this.requests.filter((seen) => seen.verb === verb).length;
  }

  private of(kind: KindOfFamily): Map<string, Stored> {
    const all = this.objects.get(kind.kind) ?? new Map<string, Stored>();
    this.objects.set(kind.kind, all);
    return all;
  }

  private tell(kind: KindOfFamily, event: Event): void {
    const events = this.history.get(kind.kind) ?? [];
    events.push(event);
    this.history.set(kind.kind, events);
    for (const watcher of this.watchers) if (watcher.kind === kind) this.catchUp(watcher);
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://localhost');
    const target = parse(url.pathname);
    const verb = verbOf(request, url, target);
    this.requests.push({ verb, path: request.url ?? '' });
    const fault = this.faults[verb].shift();
    if (fault !== undefined && this.fail(fault, verb, response)) return;
    const isPartial = (request.headers.accept ?? '').includes('PartialObjectMetadata');
    if (target === undefined || this.unserved.has(target.kind.kind)) {
      if (verb === 'post') this.post(request, response);
      else this.other(url.pathname, response);
    } else if (verb === 'watch') {
      this.watch({ ...target, url, isPartial, fault, response });
    } else if (verb === 'list') {
      send(response, 200, this.list(target, url, isPartial));
    } else if (verb === 'get' || verb === 'discover') {
      this.get(target, response, isPartial);
    } else {
      this.write(verb, target, { request, response });
    }
  }

  /** Fails before anything is said; watches of some faults begin well. */
  private fail(fault: Fault, verb: Verb, response: ServerResponse): boolean {
    if (fault.is === 'stall' && verb !== 'watch') return true;
    if (fault.is === 'cut') response.destroy();
    else if (fault.is === 'status') {
      if (fault.retryAfter !== undefined) response.setHeader('Retry-After', String(fault.retryAfter));
      send(response, fault.status, status(fault.status, 'as scripted'));
    } else if (verb === 'watch') return false;
    else if (fault.is === 'garbage') response.end('<html>not what you asked for</html>');
    else {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
      response.write('{"items":[{"metadata":{"na');
      setTimeout(() => response.destroy(), 5);
    }
    return true;
  }

  /** Writes as a real API server does: a create of what exists and a version that is not the newest end in 409. */
  private write(verb: 'post' | 'put' | 'delete', target: Target, { request, response }: Exchange): void {
    bodyOf(request, (body) => {
      const { name, namespace, version } = aimOf(body, target);
      const stored = this.of(target.kind).get(keyOf({ name, namespace }));
      const isConflict = verb === 'post' ? stored !== undefined : version !== stored?.metadata.resourceVersion;
      if (verb !== 'post' && stored === undefined) send(response, 404, status(404, 'not found'));
      else if (isConflict) send(response, 409, status(409, 'as it is now, it cannot be written'));
      else if (verb === 'delete') {
        this.remove(target.kind, name, namespace);
        send(response, 200, { kind: 'Status', status: 'Success' });
      } else {
        const metadata = { uid: `uid-${String(this.version)}`, ...(body['metadata'] as Json), name, namespace };
        this.put({ ...body, kind: target.kind.kind, metadata });
        send(response, verb === 'post' ? 201 : 200, this.of(target.kind).get(keyOf({ name, namespace })) ?? {});
      }
    });
  }

  private post(request: IncomingMessage, response: ServerResponse): void {
    bodyOf(request, (body) => {
      send(response, 201, this.answerPost(request.url ?? '', body));
    });
  }

  private other(path: string, response: ServerResponse): void {
    const [, group] = /^\/apis\/([^/]+)\/v1beta1$/.exec(path) ?? [];
    const served = kinds.filter((kind) => kind.group === group && !this.unserved.has(kind.kind));
    if (served.length > 0) {
      const resources = served.map(({ plural, kind, namespaced }) => ({ name: plural, kind, namespaced }));
      send(response, 200, { kind: 'APIResourceList', resources });
      return;
    }
    const page = this.pages.get(path);
    send(response, page ? 200 : 404, page ?? status(404, 'the server could not find the requested resource'));
  }

  private get(target: Target, response: ServerResponse, isPartial: boolean): void {
    const found = this.of(target.kind).get(keyOf({ ...target, name: target.name ?? '' }));
    send(response, found ? 200 : 404, found ? partial(found, isPartial) : status(404, 'not found'));
  }

  private list({ kind, namespace }: Target, url: URL, isPartial: boolean): Json {
    const selector = url.searchParams.get('labelSelector');
    const all = [...this.of(kind)]
      .filter(([, { metadata }]) => namespace === undefined || metadata.namespace === namespace)
      .filter(([, object]) => selector === null || hasLabel(object, selector))
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const limit = Number(url.searchParams.get('limit') ?? all.length);
    const from = Number(url.searchParams.get('continue') ?? 0);
    const next = from + limit < all.length ? { continue: String(from + limit) } : {};
    const items = all.slice(from, from + limit).map(([, object]) => partial(object, isPartial));
    // An empty list of metadata is null, as a real API server has it.
    const isNull = isPartial && items.length === 0;
    return { metadata: { resourceVersion: String(this.version), ...next }, items: isNull ? null : items };
  }

  private watch({ kind, namespace, url, isPartial, fault, response }: WatchRequest): void {
    const from = Number(url.searchParams.get('resourceVersion'));
    if (from < this.oldest) {
      send(response, 410, status(410, 'too old resource version'));
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const watcher: Watcher = { kind, namespace, response, isPartial, sent: from, fault };
    this.watchers.add(watcher);
    response.on('close', () => this.watchers.delete(watcher));
    this.catchUp(watcher);
  }

  private catchUp(watcher: Watcher): void {
    const { writableEnded, destroyed } = watcher.response;
    if (this.isHeld || watcher.fault?.is === 'stall' || writableEnded || destroyed) return;
    for (const event of this.history.get(watcher.kind.kind) ?? []) {
      const { namespace } = event.object.metadata;
      if (event.version <= watcher.sent || (watcher.namespace ?? namespace) !== namespace) continue;
      if (watcher.fault !== undefined) {
        this.spoil(watcher, watcher.fault, event);
        return;
      }
      watcher.sent = event.version;
      watcher.response.write(`${line(event, watcher.isPartial)}\n`);
    }
  }

  /** What a watch says in place of an event, before it ends. */
  private spoil({ response, isPartial }: Watcher, fault: Fault, event: Event): void {
    if (fault.is === 'error event') {
      response.end(`${JSON.stringify({ type: 'ERROR', object: status(fault.status, 'as scripted') })}\n`);
    } else if (fault.is === 'garbage') {
      response.end('{"type":"MODIFIED","object":{"metadata":5}}\n');
    } else {
      const whole = line(event, isPartial);
      response.write(whole.slice(0, whole.length / 2));
      setTimeout(() => response.destroy(), 5);
    }
  }
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** What a write is about, and the version it expects. */
function aimOf(body: Json, target: Target): { name: string; namespace: string; version: string | undefined } {
  const { name, resourceVersion } = (body['metadata'] ?? {}) as { name?: string; resourceVersion?: string };
  const { resourceVersion: precondition } = (body['preconditions'] ?? {}) as { resourceVersion?: string };
  return {
    name: target.name ?? name ?? '',
    namespace: target.namespace ?? '',
    version: resourceVersion ?? precondition,
  };
}

function bodyOf(request: IncomingMessage, use: (body: Json) => void): void {
  let text = '';
  request.on('data', (chunk: Buffer) => (text += chunk.toString()));
  request.on('end', () => {
    use(JSON.parse(text || '{}') as Json);
  });
}

interface Target {
  readonly kind: KindOfFamily;
  readonly namespace?: string;
  readonly name?: string;
}

interface WatchRequest extends Target {
  readonly url: URL;
  readonly isPartial: boolean;
  readonly fault: Fault | undefined;
  readonly response: ServerResponse;
}

function parse(path: string): Target | undefined {
  const match = /^\/apis\/([^/]+)\/v1(?:beta1)?(?:\/namespaces\/([^/]+))?\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  const [, group, namespace, plural, name] = match ?? [];
  const kind = served.find((one) => one.group === group && one.plural === plural);
  if (kind === undefined) return undefined;
  return { kind, ...(namespace !== undefined && { namespace }), ...(name !== undefined && { name }) };
}

function verbOf(request: IncomingMessage, url: URL, target: Target | undefined): Verb {
  if (request.method === 'POST') return 'post';
  if (request.method === 'PUT') return 'put';
  if (request.method === 'DELETE') return 'delete';
  if (/^\/apis\/[^/]+\/v1beta1$/.test(url.pathname)) return 'discover';
  if (target === undefined || target.name !== undefined) return 'get';
  return url.searchParams.has('watch') ? 'watch' : 'list';
}

function keyOf({ namespace, name }: { readonly namespace?: string; readonly name: string }): string {
  return `${namespace ?? ''}/${name}`;
}

function hasLabel(object: Json, selector: string): boolean {
  const [key = '', value] = selector.split('=');
  return (object['metadata'] as { labels?: Record<string, string> }).labels?.[key] === value;
}

function partial(object: Json, isPartial: boolean): Json {
  if (!isPartial) return object;
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata: object['metadata'] };
}

function line({ type, object }: Event, isPartial: boolean): string {
  return JSON.stringify({ type, object: partial(object, isPartial) });
}

function status(code: number, message: string): Json {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, message };
}

function send(response: ServerResponse, code: number, body: Json): void {
  response.writeHead(code, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
