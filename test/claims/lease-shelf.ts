import { HubError, type Call, type HubCalls } from '../../src/hub/hub.js';

type Json = Readonly<Record<string, unknown>>;

interface Stored extends Json {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly annotations: Json;
    readonly finalizers?: readonly string[];
    readonly deletionTimestamp?: string;
  };
}

/** An answer other than 2xx. */
export class ApiError extends HubError {
  constructor(status: number) {
    super(status, `the API server answered ${String(status)}`);
  }
}

/** The Leases of an API server, in memory, shared by all replicas that are given it. */
export class LeaseShelf implements HubCalls {
  readonly calls: string[] = [];
  readonly stored = new Map<string, Stored>();
  /** Comes before the next call, once: others may be faster, and calls may fail. */
  next: ((call: Call) => void | Promise<void>) | undefined;
  /** Fails the next calls after they were done. */
  readonly lostAnswers: Error[] = [];
  private version = 0;

  async call(call: Call): Promise<unknown> {
    const { next } = this;
    this.next = undefined;
    this.calls.push(call.method ?? 'GET');
    await next?.(call);
    call.signal?.throwIfAborted();
    const answer = await this.answer(call);
    const lost = this.lostAnswers.shift();
    if (lost !== undefined) throw lost;
    return answer;
  }

  /** What someone does by hand. */
  edit(name: string, annotations: Json): void {
    this.put({ metadata: { name, annotations } });
  }

  /** Someone deletes it, and a finalizer keeps it for a while. */
  beginDeletion(name: string): void {
    const { metadata, ...rest } = this.stored.get(name) ?? { metadata: { name } };
    const deletionTimestamp = '2026-11-16T08:00:00Z';
    this.put({ ...rest, metadata: { ...metadata, finalizers: ['foregroundDeletion'], deletionTimestamp } });
  }

  names(): readonly string[] {
    return [...this.stored.keys()];
  }

  private async answer({ path, method = 'GET', body }: Call): Promise<unknown> {
    const [, named] = /\/leases\/([^/]+)$/.exec(path) ?? [];
    const aim = aimOf(body);
    const { name = named ?? '' } = aim;
    const stored = this.stored.get(name);
    if (stored === undefined && (method === 'GET' || method === 'DELETE')) throw new ApiError(404);
    if (method === 'GET') return stored;
    if (!isAsNamed(stored, aim) && !(method === 'PUT' && isCreatedByPut(stored, aim))) {
      throw new ApiError(409);
    }
    if (method !== 'DELETE') return this.write(stored, body as Json);
    this.stored.delete(name);
    return { kind: 'Status' };
  }

  private write(stored: Stored | undefined, body: Json): Json | Promise<Json> {
    return stored?.metadata.deletionTimestamp === undefined ? this.put(body) : this.endDeletion(stored, body);
  }

  /**
   * What becomes of a PUT that takes the last finalizer off: the Lease goes, and what was sent is the answer. A real API
   * server looks and deletes in two steps, so that two of them may both be told that all went well.
   */
  private async endDeletion({ metadata: { name, uid, deletionTimestamp } }: Stored, body: Json): Promise<Json> {
    await new Promise(setImmediate);
    const stored = this.stored.get(name);
    if (stored !== undefined && stored.metadata.uid !== uid) throw new ApiError(409);
    this.stored.delete(name);
    return { ...body, metadata: { ...(body['metadata'] as Json), deletionTimestamp } };
  }

  private put(json: Json): Stored {
    this.version += 1;
    const { name, ...rest } = json['metadata'] as Stored['metadata'];
    const uid = this.stored.get(name)?.metadata.uid ?? `uid-${String(this.version)}`;
    const metadata = { ...rest, name, uid, resourceVersion: String(this.version) };
    const stored = { ...json, metadata };
    this.stored.set(metadata.name, stored);
    return stored;
  }
}

function isAsNamed(stored: Stored | undefined, { uid, resourceVersion }: Aim): boolean {
  const isOther = uid !== undefined && uid !== stored?.metadata.uid;
  return !isOther && resourceVersion === stored?.metadata.resourceVersion;
}

/** A real API server creates what is replaced and not there, whatever version it names, unless it names a uid. */
function isCreatedByPut(stored: Stored | undefined, { uid }: Aim): boolean {
  return stored === undefined && uid === undefined;
}

type Aim = Partial<Pick<Stored['metadata'], 'name' | 'uid' | 'resourceVersion'>>;

/** What the body of a write is about: its name, and which one in which version it expects; none, for a create. */
function aimOf(body: unknown): Aim {
  const { metadata, preconditions } = (body ?? {}) as Record<string, Aim | undefined>;
  return { ...preconditions, ...metadata };
}
