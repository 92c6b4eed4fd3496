import { describe } from '../errors.js';
import type { UpdateRun } from '../fleet/model.js';
import { areCompatible, isActive, isOver, phaseOf } from '../fleet/run.js';
import type { Answer, ObjectKey } from '../fleet/state.js';
import { decide, type Claim, type Concurrency, type Holder, type HolderRun, type Step } from './protocol.js';
import type { SeenRuns } from './seen-runs.js';
import type { ClaimStore, View } from './store.js';

export interface ClaimsParts {
  readonly store: ClaimStore;
  readonly seen: SeenRuns;
  /** A run as the API server has it at this moment. */
  readonly readRun: (run: ObjectKey, signal: AbortSignal) => Promise<Answer<UpdateRun>>;
  /** A run as the watch has it. */
  readonly knownRun: (run: ObjectKey) => Answer<UpdateRun>;
  readonly settings: () => ClaimSettings;
}

export interface ClaimSettings {
  readonly settleSeconds: number;
  readonly concurrency: Concurrency;
}

/** A run that is about to be active, as the review has it. */
export interface Start {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly name: string;
  readonly namespace: string | undefined;
  readonly object: UpdateRun;
}

/** What came of asking for a placement. */
export type Outcome =
  | { readonly is: 'claimed'; readonly how: 'take' | 'refresh' | 'take over' }
  | { readonly is: 'held'; readonly by: UpdateRun }
  /** `freeIn`: seconds after which the placement is free if nothing comes of the holder. */
  | { readonly is: 'undecided'; readonly holder: Holder; readonly seconds: number; readonly freeIn: number }
  | { readonly is: 'name taken'; readonly by: UpdateRun }
  /** Others were faster, again and again. All is well; there are many of them. */
  | { readonly is: 'crowded' }
  | { readonly is: 'unavailable'; readonly because: string };

/** Everyone who loses a race for a Lease looks again; whoever loses this often is told to come back. */
const mostAttempts = 6;

/** What one attempt rests on: everything that was known before the runs were read, and the runs. */
interface Sight {
  readonly view: View;
  readonly holders: readonly Holder[];
  readonly runs: ReadonlyMap<string, UpdateRun>;
  readonly namesake: UpdateRun | undefined;
}

/** A claim that is asked for. */
interface Request {
  readonly placement: ObjectKey;
  readonly claim: Claim;
  readonly isCreate: boolean;
}

/** What came of a write. Where it failed, nobody knows whether it was done; the next attempt finds out. */
type Written = 'written' | 'too late' | { readonly failure: string };

/** Gives placements to runs, one at a time. */
export class Claims {
  constructor(private readonly parts: ClaimsParts) {}

  /** Asks for the placement of a run that all rules admit. Never fails, and ends when the signal is raised. */
  async claim(start: Start, signal: AbortSignal): Promise<Outcome> {
    try {
      return await this.attempt(requestOf(start), signal);
    } catch (error) {
      return { is: 'unavailable', because: describe(error) };
    }
  }

  /** Claims for a run that is active already, unless that is done; whether anything was written. */
  async adopt({ metadata: { name, namespace, uid } }: UpdateRun, signal: AbortSignal): Promise<boolean> {
    const answer = await this.parts.readRun({ name, namespace }, signal);
    if (answer.is !== 'known' || answer.value.metadata.uid !== uid || !isActive(answer.value)) return false;
    const request = requestOf({ operation: 'UPDATE', name, namespace, object: answer.value });
    const { claims, version } = await this.parts.store.read(request.placement, signal);
    if (version !== undefined && claims.some((claim) => claim.uid === uid)) return false;
    return (await this.attempt(request, signal)).is === 'claimed';
  }

  /** Removes the claims on a placement where any newcomer would get it; whether that was so. */
  async release(placement: ObjectKey, signal: AbortSignal): Promise<boolean> {
    const view = await this.parts.store.read(placement, signal);
    const claim: Claim = { uid: 'nobody', name: '', rollout: { stagedRolloutStrategyName: '' } };
    const sight = await this.look({ placement, claim, isCreate: false }, view, signal);
    const step = decide({ ...this.situation(sight), request: claim });
    if (step.act !== 'write' || view.version === undefined) return false;
    return this.parts.store.remove(placement, view.version, signal);
  }

  private async attempt(request: Request, signal: AbortSignal): Promise<Outcome> {
    const { placement, claim } = request;
    let view = this.parts.store.view(placement);
    let isFresh = false;
    let written: Written = 'too late';
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const sight = await this.look(request, view, signal);
      const step = decide({ ...this.situation(sight), request: claim });
      if (step.act === 'write') {
        const next = { version: view.version, claims: step.claims };
        written = await this.tryWrite(placement, next, signal);
        if (written === 'written') return { is: 'claimed', how: step.how };
      } else if (isFresh || step.act === 'name taken') {
        return outcomeOf(step, sight, this.parts.settings());
      }
      // Nobody is sent away by what a watch told some time ago.
      view = await this.parts.store.read(placement, signal);
      isFresh = true;
    }
    if (written === 'too late') return { is: 'crowded' };
    throw new Error(written.failure);
  }

  private async tryWrite(placement: ObjectKey, next: Omit<View, 'age'>, signal: AbortSignal): Promise<Written> {
    try {
      return (await this.parts.store.write(placement, next, signal)) ? 'written' : 'too late';
    } catch (error) {
      if (signal.aborted || isRefused(error)) throw error;
      return { failure: describe(error) };
    }
  }

  private situation({ view, holders, namesake }: Sight) {
    const { settleSeconds, concurrency } = this.parts.settings();
    const isDeleting = namesake !== undefined && phaseOf(namesake) === 'deleting';
    return {
      namesake: namesake === undefined ? 'none' : isDeleting ? 'being deleted' : 'stored',
      holders,
      age: view.age,
      settle: settleSeconds,
      concurrency,
    } as const;
  }

  /**
   * Reads the runs that matter. Age and memory are taken first: a run that was not there when it was read, and was stored
   * and seen a moment later, must not count as gone.
   */
  private async look({ placement, claim, isCreate }: Request, view: View, signal: AbortSignal): Promise<Sight> {
    const others = view.claims.filter(({ uid }) => uid !== claim.uid);
    const wasStored = new Set(others.map(({ uid }) => uid).filter((uid) => this.parts.seen.has(uid)));
    const names = new Set(others.map(({ name }) => name).filter((name) => name !== ''));
    const { namespace } = placement;
    // Asking the watch is enough: a name that it has not heard of costs no read, and is claimed like any other.
    if (isCreate && this.parts.knownRun({ name: claim.name, namespace }).is === 'known') names.add(claim.name);
    const runs = await this.readAll([...names], namespace, signal);
    const holders = view.claims.map((held) => {
      const found = runs.get(held.name);
      const run = found?.metadata.uid === held.uid ? found : undefined;
      return { claim: asStored(held, run), run: holderRun(run, placement.name), wasStored: wasStored.has(held.uid) };
    });
    const found = isCreate ? runs.get(claim.name) : undefined;
    return { view, holders, runs, namesake: found?.metadata.uid === claim.uid ? undefined : found };
  }

  private async readAll(
    names: readonly string[],
    namespace: string | undefined,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, UpdateRun>> {
    const runs = new Map<string, UpdateRun>();
    await Promise.all(
      names.map(async (name) => {
        const answer = await this.parts.readRun({ name, namespace }, signal);
        if (answer.is === 'unknown') throw new Error(`run "${name}" could not be read`);
        if (answer.is === 'absent') return;
        this.parts.seen.see(answer.value);
        runs.set(name, answer.value);
      }),
    );
    return runs;
  }
}

/** An answer that will be the same the next time: rights are missing, or the namespace is. */
function isRefused(error: unknown): boolean {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' && status >= 400 && status < 500 && status !== 429;
}

function requestOf({ operation, name, namespace, object }: Start): Request {
  const { placementName, stagedRolloutStrategyName, resourceSnapshotIndex } = object.spec;
  return {
    placement: { name: placementName, ...(namespace !== undefined && { namespace }) },
    claim: {
      // Only a review that no API server wrote has none.
      uid: object.metadata.uid ?? `name:${name}`,
      name,
      rollout: { stagedRolloutStrategyName, ...(resourceSnapshotIndex !== undefined && { resourceSnapshotIndex }) },
    },
    isCreate: operation === 'CREATE',
  };
}

/**
 * A claim beside its run as it is stored. KubeFleet's schema lets a snapshot index be removed and then set anew: a run that
 * is not as it was claimed does the same as no other.
 */
function asStored(claim: Claim, run: UpdateRun | undefined): Claim {
  if (run === undefined || areCompatible(claim.rollout, run.spec)) return claim;
  const { stagedRolloutStrategyName } = claim.rollout;
  return { ...claim, rollout: { stagedRolloutStrategyName } };
}

function holderRun(run: UpdateRun | undefined, placement: string): HolderRun {
  if (run === undefined) return 'absent';
  if (isOver(run) || run.spec.placementName !== placement) return 'over';
  return isActive(run) ? 'active' : 'idle';
}

function outcomeOf(step: Exclude<Step, { act: 'write' }>, sight: Sight, { settleSeconds }: ClaimSettings): Outcome {
  const { view, runs, namesake } = sight;
  if (step.act === 'retry') {
    const { holder, seconds } = step;
    return { is: 'undecided', holder, seconds, freeIn: Math.max(1, Math.ceil(settleSeconds - view.age)) };
  }
  const by = step.act === 'refuse' ? runs.get(step.holder.name) : namesake;
  if (by === undefined) throw new Error('a run that refuses another was not read');
  return { is: step.act === 'refuse' ? 'held' : 'name taken', by };
}
