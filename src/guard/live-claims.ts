import { Caretaker } from '../claims/caretaker.js';
import { Claims, type ClaimOutcome } from '../claims/claim.js';
import { claimLabel } from '../claims/lease.js';
import { LeaseStore } from '../claims/lease-store.js';
import { SeenRuns } from '../claims/seen-runs.js';
import type { Config } from '../config/config.js';
import type { Policy } from '../engine/policy.js';
import { claimConcurrency, createClaimingJudge, isClaimWanted } from './claiming.js';
import type { Judge } from './judge.js';
import { kindIn } from '../fleet/kinds.js';
import type { Families } from '../fleet/model.js';
import { isActive } from '../fleet/run.js';
import type { Answer, ObjectKey } from '../fleet/state.js';
import type { Log } from '../log.js';
import type { Read } from '../sources/live/read-request.js';
import type { CacheChange, LiveCache } from '../sources/live/cache.js';
import { systemClock } from '../clock.js';
import type { Collection } from '../hub/collection.js';
import type { Hub } from '../hub/hub.js';
import { Reflector } from '../hub/reflector.js';

export interface LiveClaimsParts {
  readonly hub: Hub;
  /** The guard's own namespace, where the Leases are. */
  readonly namespace: string;
  readonly cache: LiveCache;
  readonly read: Read;
  readonly judge: Judge;
  /** As they are now. */
  readonly settings: () => Config['claims'];
  readonly policy: () => Policy;
  readonly log: Log;
  readonly onClaim: (outcome: ClaimOutcome['is'], seconds: number) => void;
}

/** Claims of a guard beside a hub: kept in Leases, shared by all replicas. */
export class LiveClaims {
  readonly judge: Judge;
  private readonly seen = new SeenRuns();
  private readonly store: LeaseStore;
  private readonly caretaker: Caretaker;
  private readonly watch: Reflector;
  private isSynced = false;

  constructor(private readonly parts: LiveClaimsParts) {
    const { hub, namespace, cache, settings, policy, log, judge, onClaim } = parts;
    const settleSeconds = () => settings().settleSeconds;
    const { seen } = this;
    this.store = new LeaseStore({ api: hub, namespace, settleSeconds, now: () => performance.now() });
    const { store } = this;
    const claims = new Claims({
      store,
      seen,
      readRun: (key, signal) => this.get('UpdateRun', key, signal),
      knownRun: (key) => cache.get('UpdateRun', key),
      settings: () => ({
        settleSeconds: settleSeconds(),
        concurrency: claimConcurrency(policy()),
      }),
    });
    this.caretaker = new Caretaker({
      claims,
      store,
      runs: () => (this.knowsAll() ? cache.all('UpdateRun') : undefined),
      knownPlacement: (key) => cache.get('Placement', key),
      readPlacement: (key, signal) => this.get('Placement', key, signal),
      isWanted: (where) => isClaimWanted(policy(), where),
      log,
    });
    this.watch = this.watchLeases();
    this.judge = createClaimingJudge({
      judge,
      claims,
      policy,
      whenUnavailable: () => settings().whenUnavailable,
      elapsed: () => performance.now(),
      log,
      onClaim,
    });
  }

  /** What the watches of the fleet tell. */
  hear({ kind, object }: CacheChange): void {
    if (kind.family === 'Placement' && object === undefined) this.caretaker.poke();
    if (kind.family !== 'UpdateRun' || object === undefined) return;
    const run = object as Families['UpdateRun'];
    this.seen.see(run);
    if (isActive(run) && !this.caretaker.isInOrder(run)) this.caretaker.poke();
  }

  /** What is not there yet of the first sync. Where claims are not wanted, nobody waits for them. */
  missing(): readonly string[] {
    return this.isSynced || this.parts.policy().concurrency === 'off' ? [] : ['the list of Leases'];
  }

  start(): void {
    this.watch.start();
    void this.watch.synced.then(() => {
      this.isSynced = true;
      this.parts.log.info({}, 'the claims are known');
      this.caretaker.start();
    });
  }

  async stop(): Promise<void> {
    await Promise.all([this.caretaker.stop(), this.watch.stop()]);
  }

  private watchLeases(): Reflector {
    const { hub, log } = this.parts;
    const { sink, path } = this.store;
    const accept = 'application/json';
    const of: Collection = {
      kind: 'Lease',
      path,
      labelSelector: claimLabel,
      accept: { list: accept, object: accept },
    };
    const poked =
      <T>(act: (value: T) => void) =>
      (value: T): void => {
        act(value);
        this.caretaker.poke();
      };
    // A Lease that was edited or deleted by hand is put in order as soon as it is heard of.
    const watched = { put: poked(sink.put), remove: poked(sink.remove), keepOnly: poked(sink.keepOnly) };
    return new Reflector({ of, hub, sink: watched, clock: systemClock, log });
  }

  private knowsAll(): boolean {
    const { cache } = this.parts;
    return cache.knows(kindIn('UpdateRun', undefined)) && cache.knows(kindIn('UpdateRun', 'any'));
  }

  private async get<F extends 'UpdateRun' | 'Placement'>(
    family: F,
    key: ObjectKey,
    signal: AbortSignal,
  ): Promise<Answer<Families[F]>> {
    // What is asked for by name is told as one answer.
    return (await this.parts.read({ how: 'get', family, key }, signal)) as Answer<Families[F]>;
  }
}
