import { Background } from '../background.js';
import { describe } from '../errors.js';
import type { Log } from '../log.js';
import { isValidAt, type Certificate, type TlsPair } from './certificate.js';
import {
  decide,
  earlierOf,
  isInAll,
  withPair,
  type Authority,
  type Configuration,
  type Kept,
  type Lives,
} from './decide.js';
import type { Situation, Step } from './decide.js';
import { injectAll } from './inject-all.js';
import { realIssuer, type Issuer } from './issuer.js';
import type { CertificateStore, ReadConfiguration, ReadSecret } from './store.js';

export interface UpkeepParts {
  readonly store: Pick<CertificateStore, 'configurations' | 'read' | 'write' | 'inject'>;
  readonly names: readonly string[];
  readonly lives: Lives;
  readonly log: Log;
  readonly onPair: (pair: TlsPair) => void;
  readonly onFailure: () => void;
  /** Time of day. */
  readonly now?: () => number;
  /** Milliseconds of a clock that does not jump. */
  readonly elapsed?: () => number;
  readonly issuer?: Issuer;
}

/** Between two looks: a new pair is shown by all replicas soon after one of them has made it. */
const pauseMilliseconds = 3000;

/** While a CA settles: whoever waits for it, waits no longer than it takes. */
const settlingPauseMilliseconds = 1000;

/** How long after a write all API servers are taken to know it: they watch each other's writes, within a second as a rule. */
export const settleMilliseconds = 5000;

/** Writes in a row before a pause, in case someone undoes each of them. */
const mostSteps = 8;

/** Keeps a CA, a pair and the bundles of the webhook configurations in order, together with the other replicas. */
export class Upkeep extends Background {
  private remembered: Kept | undefined;
  private held: Certificate | undefined;
  private readonly trustedSince = new Map<string, number>();
  private lastSeen: readonly Configuration[] | undefined;
  private hasBeenReady = false;

  constructor(private readonly parts: UpkeepParts) {
    super();
  }

  /** A pair is shown that the API servers trust. Stays true once it was: an outage of the hub is no reason to leave. */
  get isReady(): boolean {
    return this.hasBeenReady;
  }

  /** The CA that signs, as last read. */
  get authority(): Certificate | undefined {
    return this.remembered?.authorities.findLast(({ key }) => key !== undefined)?.certificate;
  }

  /** The configurations as last read; undefined before. */
  get configurations(): readonly Configuration[] | undefined {
    return this.lastSeen;
  }

  /** Looks, and does what is to be done until there is nothing left. */
  async tend(signal: AbortSignal = this.signal): Promise<void> {
    for (let steps = 0; steps < mostSteps && !signal.aborted; steps++) {
      if ((await this.look(signal)) === 'rest') return;
    }
  }

  protected async turn(signal: AbortSignal): Promise<number> {
    try {
      await this.tend(signal);
    } catch (error) {
      if (!signal.aborted) {
        this.parts.onFailure();
        this.parts.log.error(
          { error: describe(error) },
          'the certificates cannot be looked after; what is served stays',
        );
      }
    }
    return this.isSettling() ? settlingPauseMilliseconds : pauseMilliseconds;
  }

  /**
   * The configurations are read before the Secret: a bundle is then never older than what it replaces, since whoever
   * wrote the newer one had written the Secret before, and the write itself fails where the configuration has changed.
   */
  private async look(signal: AbortSignal): Promise<Step['do']> {
    const { store, names, lives } = this.parts;
    const configurations = await store.configurations(signal);
    const secret = await store.read(signal);
    const kept = secret?.kept;
    const now = this.now();
    this.lastSeen = configurations;
    this.noteTrust(kept, configurations);
    const situation: Situation = {
      ...{ now, lives, names, kept, configurations, remembered: this.remembered, shown: this.held },
      isSettled: (authority) => this.isSettled(authority),
    };
    const step = decide(situation);
    if (kept !== undefined) this.take(kept, now);
    const look: Look = { secret, configurations, now, signal };
    if (step.do !== 'inject') await this.perform(step, look);
    else await this.injectOrGoOn(step, look, situation);
    return step.do;
  }

  /** Where a bundle cannot be written, what every configuration trusts is renewed all the same. */
  private async injectOrGoOn(step: Injection, look: Look, situation: Situation): Promise<void> {
    try {
      await injectAll(step, look, this.parts);
    } catch (error) {
      const next = decide({ ...situation, canInject: false });
      if (next.do !== 'inject') await this.perform(next, look);
      throw error;
    }
  }

  private noteTrust(kept: Kept | undefined, configurations: readonly Configuration[]): void {
    if (kept === undefined) return;
    this.remembered = kept;
    const trusted = kept.authorities.filter(({ certificate }) => isInAll(configurations, certificate));
    const ids = new Set(trusted.map(({ certificate }) => certificate.id));
    for (const id of this.trustedSince.keys()) if (!ids.has(id)) this.trustedSince.delete(id);
    for (const id of ids) if (!this.trustedSince.has(id)) this.trustedSince.set(id, this.elapsed());
  }

  private isSettled({ id }: Certificate): boolean {
    const since = this.trustedSince.get(id);
    return since !== undefined && this.elapsed() - since >= settleMilliseconds;
  }

  private isSettling(): boolean {
    return [...this.trustedSince.values()].some((since) => this.elapsed() - since < settleMilliseconds);
  }

  /** Shows the kept pair once its CA is trusted everywhere; at once where there is nothing better to show. */
  private take({ pair, authorities }: Kept, now: number): void {
    if (pair === undefined || !isValidAt(pair.certificate, now)) return;
    const isKnown = authorities.some(
      ({ certificate }) => this.isSettled(certificate) && pair.certificate.isSignedBy(certificate),
    );
    if (isKnown || !this.hasValid(now)) this.hold(pair);
    if (isKnown) this.hasBeenReady = true;
  }

  private hasValid(now: number): boolean {
    return this.held !== undefined && isValidAt(this.held, now);
  }

  private hold({ certificate, tls }: NonNullable<Kept['pair']>): void {
    if (certificate.id === this.held?.id) return;
    this.held = certificate;
    this.parts.onPair(tls);
  }

  private async perform(step: Exclude<Step, Injection>, look: Look): Promise<void> {
    switch (step.do) {
      case 'rest':
        if (step.because !== undefined) throw new Error(step.because);
        return;
      case 'restore':
        return this.write(step.kept, look, 'the Secret of the certificates was gone, and is written again');
      case 'begin':
        return this.begin(step.trust, look);
      case 'add authority':
        return this.addAuthority(look);
      case 'issue':
        return this.issue(step, look);
    }
  }

  private async begin(trust: readonly Certificate[], look: Look): Promise<void> {
    const authority = await this.makeAuthority(look.now);
    const pair = await this.makePair(authority, this.parts.names, look.now);
    const authorities = [...trust.map((certificate) => ({ certificate })), authority];
    const before = look.secret?.kept;
    const issued = before === undefined ? [] : earlierOf(before, look.now);
    await this.write({ authorities, pair, issued }, look, 'a first CA and a certificate are made');
  }

  private async addAuthority(look: Look): Promise<void> {
    const kept = look.secret?.kept;
    if (kept === undefined) return;
    const authorities = [...kept.authorities, await this.makeAuthority(look.now)];
    await this.write({ ...kept, authorities }, look, 'a new CA is made; it signs once all trust it');
  }

  private async issue({ from, names }: Extract<Step, { do: 'issue' }>, look: Look): Promise<void> {
    const kept = look.secret?.kept;
    if (kept === undefined) return;
    const pair = await this.makePair(from, names, look.now);
    await this.write(withPair(kept, pair, { from, now: look.now }), look, 'a new certificate is made');
  }

  private async write(kept: Kept, { secret, signal }: Look, done: string): Promise<void> {
    if (!(await this.parts.store.write(kept, secret, signal))) return;
    const until = kept.pair === undefined ? undefined : new Date(kept.pair.certificate.notAfter).toISOString();
    this.parts.log.info({ until }, done);
  }

  private makeAuthority(now: number): Promise<Authority> {
    return (this.parts.issuer ?? realIssuer).authority({ now, notAfter: now + this.parts.lives.authority });
  }

  private makePair(from: Authority, names: readonly string[], now: number): Promise<NonNullable<Kept['pair']>> {
    const notAfter = Math.min(now + this.parts.lives.pair, from.certificate.notAfter);
    return (this.parts.issuer ?? realIssuer).pair(from, names, { now, notAfter });
  }

  private now(): number {
    return (this.parts.now ?? Date.now)();
  }

  private elapsed(): number {
    return (this.parts.elapsed ?? (() => performance.now()))();
  }
}

type Injection = Extract<Step, { do: 'inject' }>;

/** What one look has found. */
interface Look {
  readonly secret: ReadSecret | undefined;
  readonly configurations: readonly ReadConfiguration[];
  readonly now: number;
  readonly signal: AbortSignal;
}
