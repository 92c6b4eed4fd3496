import { Background } from '../background.js';
import type { Clock } from '../clock.js';
import { describe } from '../errors.js';
import type { UpdateRun } from '../fleet/model.js';
import { isActive } from '../fleet/run.js';
import type { Answer, ObjectKey } from '../fleet/state.js';
import type { Log } from '../log.js';
import type { Claims } from './claim.js';
import type { Claim } from './protocol.js';
import type { ClaimStore } from './store.js';

export interface CaretakerParts {
  readonly claims: Claims;
  readonly store: ClaimStore;
  /** All runs that the watch knows; undefined while it does not know them all. */
  readonly runs: () => readonly UpdateRun[] | undefined;
  /** Whether a placement is there, as the watch has it, and as the API server has it. */
  readonly knownPlacement: (placement: ObjectKey) => Answer<unknown>;
  readonly readPlacement: (placement: ObjectKey, signal: AbortSignal) => Promise<Answer<unknown>>;
  /** Whether claims are asked for in a namespace at all. */
  readonly isWanted: (namespace: string | undefined) => boolean;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Runs that became active without a claim are found at once by the watch; this is for what went wrong then. */
const everyMilliseconds = 30_000;

/** Changes come in bunches; one sweep a second serves them all. */
const pauseMilliseconds = 1_000;

const patienceMilliseconds = 10_000;

/** Keeps the claims in order: every active run has one, and placements that are gone have none. */
export class Caretaker extends Background {
  private isPoked = true;
  private sweptAt = 0;

  constructor(private readonly parts: CaretakerParts) {
    super(parts.clock);
  }

  /** Something has changed that may call for a claim. */
  poke(): void {
    this.isPoked = true;
  }

  protected async turn(): Promise<number> {
    const now = this.clock.now();
    const isDue = this.isPoked || now - this.sweptAt >= everyMilliseconds;
    if (isDue && this.parts.runs() !== undefined) {
      this.isPoked = false;
      this.sweptAt = now;
      await this.sweep();
    }
    return pauseMilliseconds;
  }

  /** Looks at everything once. What fails is tried again the next time. */
  async sweep(): Promise<void> {
    const active = this.parts.runs()?.filter(isActive);
    if (active === undefined) return;
    const rightful = new Set(active.map((one) => holding(one, one.metadata.uid)));
    for (const run of active.filter((one) => this.needsClaim(one, rightful))) {
      await this.attempt({ run: run.metadata.name, namespace: run.metadata.namespace }, async (signal) => {
        const isAdopted = await this.parts.claims.adopt(run, signal);
        return isAdopted ? 'claimed for a run that was active without a claim' : undefined;
      });
    }
    for (const { placement } of this.parts.store.list()) {
      if (this.parts.knownPlacement(placement).is !== 'absent') continue;
      await this.attempt({ placement: placement.name, namespace: placement.namespace }, async (signal) => {
        const answer = await this.parts.readPlacement(placement, signal);
        const isRemoved = answer.is === 'absent' && (await this.parts.claims.release(placement, signal));
        return isRemoved ? 'removed the claim on a placement that is gone' : undefined;
      });
    }
  }

  /** Whether an active run has its claim, as far as this replica knows. */
  isInOrder(run: UpdateRun): boolean {
    return this.isHeldBy(run, ({ uid }) => uid === run.metadata.uid);
  }

  /** One active run of a placement is enough to hold it; a second one is older than the guard, and comes next. */
  private needsClaim(run: UpdateRun, rightful: ReadonlySet<string>): boolean {
    if (!this.parts.isWanted(run.metadata.namespace)) return false;
    return !this.isHeldBy(run, ({ uid }) => rightful.has(holding(run, uid)));
  }

  private isHeldBy({ metadata: { namespace }, spec }: UpdateRun, isHolder: (claim: Claim) => boolean): boolean {
    const placement = { name: spec.placementName, ...(namespace !== undefined && { namespace }) };
    const { claims, version } = this.parts.store.view(placement);
    return version !== undefined && claims.some(isHolder);
  }

  private async attempt(
    about: Readonly<Record<string, string | undefined>>,
    act: (signal: AbortSignal) => Promise<string | undefined>,
  ): Promise<void> {
    const { signal: stopping } = this;
    if (stopping.aborted) return;
    try {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(patienceMilliseconds)]);
      const what = await act(signal);
      if (what !== undefined) this.parts.log.info(about, what);
    } catch (error) {
      this.parts.log.warn({ ...about, error: describe(error) }, 'could not put a claim in order, trying again');
    }
  }
}

/** One word for "the placement of this run is held by that uid". */
function holding({ metadata: { namespace }, spec }: UpdateRun, uid: string | undefined): string {
  return JSON.stringify([namespace, spec.placementName, uid]);
}
