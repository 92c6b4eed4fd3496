import { clockTolerance, type Certificate } from '../../src/certificates/certificate.js';
import type { Authority, Kept } from '../../src/certificates/decide.js';
import type { Issuer } from '../../src/certificates/issuer.js';
import type { ReadConfiguration, ReadSecret } from '../../src/certificates/store.js';
import { settleMilliseconds, Upkeep } from '../../src/certificates/upkeep.js';
import { silentLog } from '../../src/log.js';

export const hour = 60 * 60 * 1000;
export const lives = { pair: 9 * hour, authority: 36 * hour };

/** Within this the other API servers of a hub learn of a write. */
const lagMilliseconds = settleMilliseconds - 1000;

export interface FakeCertificate extends Certificate {
  readonly issuer: string;
}

/** Chance that can be repeated. */
export function chance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), 1 | state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) % below;
  };
}

interface Written {
  readonly at: number;
  readonly bundle: string;
}

/** A hub with one Secret and two webhook configurations, in which the calls of all replicas come one at a time, in any order. */
export class SimulatedHub {
  time = Date.UTC(2030, 0, 1);
  secret: { kept: Kept; version: number } | undefined;
  readonly configurations = new Map<string, Written[]>();
  readonly made = new Map<string, FakeCertificate>();
  /** How many calls of a hundred fail, before or after they took effect. */
  failing = 0;
  /** Whether writes to the configurations are refused. */
  isReadOnly = false;
  /** A replica whose calls take long. */
  stuck: unknown;
  private waiting: { readonly caller: unknown; readonly go: () => void }[] = [];

  constructor(private readonly pick: (below: number) => number) {
    for (const id of ['validating', 'mutating']) this.configurations.set(id, [{ at: this.time, bundle: '' }]);
  }

  /** Lets one of those that wait go on. */
  async release(): Promise<void> {
    const free = this.waiting.filter(({ caller }) => caller !== this.stuck);
    const next = free[this.pick(free.length)];
    this.waiting = this.waiting.filter((one) => one !== next);
    next?.go();
    await new Promise((resolve) => setImmediate(resolve));
  }

  async call<T>(caller: unknown, effect: () => T): Promise<T> {
    await new Promise<void>((resolve) => this.waiting.push({ caller, go: resolve }));
    const isFailing = this.pick(100) < this.failing;
    if (isFailing && this.pick(2) === 0) throw new Error('the call was lost');
    const answer = effect();
    if (isFailing) throw new Error('the answer was lost');
    return answer;
  }

  certificatesIn(text: string): readonly Certificate[] {
    return text.split('\n').flatMap((id) => this.made.get(id) ?? []);
  }

  /** What the API servers may take for the bundle of a configuration: what it is, and what it was a moment ago. */
  bundlesInForce(): readonly string[] {
    return [...this.configurations.values()].flatMap((writes) =>
      writes
        .filter((_, index) => (writes[index + 1]?.at ?? Infinity) > this.time - lagMilliseconds)
        .map(({ bundle }) => bundle),
    );
  }

  versionOf(id: string): number | undefined {
    return this.configurations.get(id)?.length;
  }
}

let serial = 0;

/** Certificates that are but facts. */
function issuerOf(hub: SimulatedHub): Issuer {
  const make = (
    issuer: string | undefined,
    names: readonly string[],
    now: number,
    notAfter: number,
  ): FakeCertificate => {
    const id = `${issuer === undefined ? 'ca' : 'pair'}-${String(++serial)}`;
    const certificate: FakeCertificate = {
      ...{ id, pem: `${id}\n`, names, notAfter, notBefore: now - clockTolerance, issuer: issuer ?? id },
      covers: (name) => names.includes(name),
      isSignedBy: (other) => other.id === certificate.issuer,
    };
    hub.made.set(id, certificate);
    return certificate;
  };
  return {
    authority: ({ now, notAfter }) => Promise.resolve({ certificate: make(undefined, [], now, notAfter), key: 'key' }),
    pair: ({ certificate: { id } }: Authority, names, { now, notAfter }) => {
      const certificate = make(id, names, now, notAfter);
      return Promise.resolve({ certificate, tls: { cert: certificate.pem, key: 'key' } });
    },
  };
}

function storeOf(hub: SimulatedHub, caller: unknown) {
  return {
    configurations: () =>
      hub.call(caller, (): readonly ReadConfiguration[] =>
        [...hub.configurations].map(([id, writes]) => {
          const text = writes.at(-1)?.bundle ?? '';
          return { id, object: hub.versionOf(id), bundles: [{ text, certificates: hub.certificatesIn(text) }] };
        }),
      ),
    read: () =>
      hub.call(
        caller,
        (): ReadSecret | undefined => hub.secret && { kept: hub.secret.kept, object: hub.secret.version },
      ),
    write: (kept: Kept, before: ReadSecret | undefined) =>
      hub.call(caller, () => {
        if (hub.secret?.version !== before?.object) return false;
        hub.secret = { kept, version: ++serial };
        return true;
      }),
    inject: (bundle: string, { id, object }: ReadConfiguration) =>
      hub.call(caller, () => {
        if (hub.isReadOnly) throw new Error('forbidden');
        if (hub.versionOf(id) !== object) return false;
        hub.configurations.get(id)?.push({ at: hub.time, bundle });
        return true;
      }),
  };
}

/** One guard of several. */
export class Replica {
  shown: FakeCertificate | undefined;
  failures = 0;
  private readonly upkeep: Upkeep;

  constructor(
    private readonly hub: SimulatedHub,
    aheadMilliseconds: number,
    names: readonly string[] = ['guard.svc'],
  ) {
    this.upkeep = new Upkeep({
      ...{ names, lives, log: silentLog, issuer: issuerOf(hub), store: storeOf(hub, this) },
      onPair: ({ cert }) => (this.shown = hub.made.get(cert.trim())),
      onFailure: () => undefined,
      now: () => hub.time + aheadMilliseconds,
      elapsed: () => hub.time,
    });
  }

  get isReady(): boolean {
    return this.upkeep.isReady;
  }

  isTending = false;

  /** Looks once, where it is not still at it. */
  async tend(): Promise<void> {
    if (this.isTending) return;
    this.isTending = true;
    await this.upkeep.tend().catch(() => this.failures++);
    this.isTending = false;
  }

  /** Why a call to this replica would fail now; undefined where it would not. */
  fault(): string | undefined {
    const { shown, hub } = this;
    if (!this.isReady) return undefined;
    if (shown === undefined || shown.notAfter <= hub.time || shown.notBefore > hub.time) return 'the pair is not valid';
    const untrusting = hub.bundlesInForce().filter((bundle) => bundle !== '' && !bundle.includes(`${shown.issuer}\n`));
    return untrusting.length === 0 ? undefined : `${shown.id} of ${shown.issuer}, trusted: ${untrusting.join(' | ')}`;
  }
}
