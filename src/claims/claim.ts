import { describe } from '../errors.js';
import type { UpdateRun } from '../fleet/model.js';
import { isActive, phaseOf } from '../fleet/run.js';
import type { Answer, ObjectKey } from '../fleet/state.js';
import { isFinal } from '../hub/hub.js';
import { asStored, holderRun } from './holder-run.js';
import { decide, type Claim, type Concurrency, type Holder, type Step } from './protocol.js';
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
export interface StartingRun {
  readonly operation: 'CREATE' | 'UPDATE';
  readonly name: string;
  readonly namespace: string | undefined;
  readonly object: UpdateRun;
}

/** What came of asking for a placement. */
export type ClaimOutcome =
  | { readonly is: 'claimed'; readonly how: 'take' | 'refresh' | 'keep' | 'take over' }
  | { readonly is: 'held'; readonly by: UpdateRun }
  /** `freeIn`: seconds after which the placement is free if nothing comes of the holder. */
  | { readonly is: 'undecided'; readonly holder: Holder; readonly seconds: number; readonly freeIn: number }
  | { readonly is: 'name taken'; readonly by: UpdateRun }
  /** Others were faster, again and again. All is well; there are many of them. */
  | { readonly is: 'crowded' }
  | { readonly is: 'unavailable'; readonly because: string };

/** Asks for the placement; to be called once all rules admit the run. Never fails, and ends when the signal is raised. */
export type BegunClaim = () => Promise<ClaimOutcome>;

/** Everyone who loses a race for a Lease looks again; whoever loses this often is told to come back. */
const mostAttempts = 6;

/** What one attempt rests on: everything that was known before the runs were read, and the runs. */
interface Sight {
  readonly view: View;
  readonly holders: readonly Holder[];
  readonly runs: ReadonlyMap<string, UpdateRun>;
  readonly namesake: UpdateRun | undefined;
  /** Whether the run that asks is stored. */
  readonly isStored: boolean;
}

/** A claim that is asked for. */
interface Request {
  readonly placement: ObjectKey;
  readonly claim: Claim;
  readonly isCreate: boolean;
}

/** A write that was not done, or of which nobody knows whether it was; the next attempt finds out. */
type Unwritten = { readonly is: 'too late' } | { readonly is: 'failed'; readonly because: string };

interface Means {
  readonly placement: ObjectKey;
  readonly sight: Sight;
  readonly signal: AbortSignal;
}

/** Gives placements to runs, one at a time. */
export class Claims {
  constructor(private readonly parts: ClaimsParts) {}

  /** Begins to read what the claim of a run rests on, while the rules still judge it. This alone claims nothing. */
  begin(start: StartingRun, signal: AbortSignal): BegunClaim {
    const request = requestOf(start);
    const first = this.look(request, this.parts.store.view(request.placement), signal);
    // Nobody asks again for a run that is refused.
    first.catch(() => undefined);
    return async () => {
      try {
        return await this.attempt(request, signal, await first);
      } catch (error) {
        return { is: 'unavailable', because: describe(error) };
      }
    };
  }

  /** Claims for a run that is active already, unless that is done; whether anything was written. */
  async adopt({ metadata: { name, namespace, uid } }: UpdateRun, signal: AbortSignal): Promise<boolean> {
    const answer = await this.parts.readRun({ name, namespace }, signal);
    if (answer.is !== 'known' || answer.value.metadata.uid !== uid || !isActive(answer.value)) return false;
    const request = requestOf({ operation: 'UPDATE', name, namespace, object: answer.value });
    const { claims, version } = await this.parts.store.read(request.placement, signal);
    if (version !== undefined && claims.some((claim) => claim.uid === uid)) return false;
    const first = await this.look(request, this.parts.store.view(request.placement), signal);
    return (await this.attempt(request, signal, first)).is === 'claimed';
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

  private async attempt(request: Request, signal: AbortSignal, first: Sight): Promise<ClaimOutcome> {
    const { placement, claim } = request;
    // While the rules judged, the watch may have told of another claim: a write would come too late.
    const view = this.parts.store.view(placement);
    let sight = view.version === first.view.version ? first : await this.look(request, view, signal);
    let isFresh = false;
    let unwritten: Unwritten = { is: 'too late' };
    for (let attempt = 0; attempt < mostAttempts; attempt++) {
      const step = decide({ ...this.situation(sight), request: claim });
      // Nobody is sent away, or let in without a write, by what a watch told some time ago.
      if (isFresh || step.act === 'write' || step.act === 'name taken') {
        const done = await this.carryOut(step, { placement, sight, signal });
        if (done.is !== 'too late' && done.is !== 'failed') return done;
        unwritten = done;
      }
      sight = await this.look(request, await this.parts.store.read(placement, signal), signal);
      isFresh = true;
    }
    if (unwritten.is === 'too late') return { is: 'crowded' };
    throw new Error(unwritten.because);
  }

  private async carryOut(step: Step, { placement, sight, signal }: Means): Promise<ClaimOutcome | Unwritten> {
    if (step.act !== 'write' && step.act !== 'keep') return outcomeOf(step, sight, this.parts.settings());
    const { version } = sight.view;
    if (step.act === 'keep' && version !== undefined) return { is: 'claimed', how: 'keep' };
    const how = step.act === 'keep' ? 'refresh' : step.how;
    try {
      const isWritten = await this.parts.store.write(placement, { version, claims: step.claims }, signal);
      return isWritten ? { is: 'claimed', how } : { is: 'too late' };
    } catch (error) {
      if (signal.aborted || isFinal(error)) throw error;
      return { is: 'failed', because: describe(error) };
    }
  }

  private situation({ view, holders, namesake, isStored }: Sight) {
    const { settleSeconds, concurrency } = this.parts.settings();
    return {
      namesake: namesake === undefined ? 'none' : phaseOf(namesake) === 'deleting' ? 'being deleted' : 'stored',
      holders,
      age: view.age,
      settle: settleSeconds,
      concurrency,
      renews: isStored,
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
    const isHolding = others.length < view.claims.length;
    const wasSeen = this.parts.seen.has(claim.uid);
    // Asking the watch is enough: a name that it has not heard of costs no read, and is claimed like any other. But a run
    // that is to be started and that nobody has seen has to be shown to be there before its claim is young again.
    const isNamed = isCreate
      ? this.parts.knownRun({ name: claim.name, namespace }).is === 'known'
      : isHolding && !wasSeen;
    if (isNamed) names.add(claim.name);
    const runs = await this.readAll([...names], namespace, signal);
    const holders = view.claims.map((held) => {
      const found = runs.get(held.name);
      const run = found?.metadata.uid === held.uid ? found : undefined;
      return { claim: asStored(held, run), run: holderRun(run, placement.name), wasStored: wasStored.has(held.uid) };
    });
    const named = runs.get(claim.name);
    const isItself = named?.metadata.uid === claim.uid;
    const namesake = isCreate && !isItself ? named : undefined;
    return { view, holders, runs, namesake, isStored: !isCreate && (wasSeen || isItself) };
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
        if (answer.is === 'unknown') throw new Error(`run ${JSON.stringify(name)} could not be read`);
        if (answer.is === 'absent') return;
        this.parts.seen.see(answer.value);
        runs.set(name, answer.value);
      }),
    );
    return runs;
  }
}

function requestOf({ operation, name, namespace, object }: StartingRun): Request {
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

function outcomeOf(
  step: Exclude<Step, { act: 'write' | 'keep' }>,
  sight: Sight,
  { settleSeconds }: ClaimSettings,
): ClaimOutcome {
  const { view, runs, namesake } = sight;
  if (step.act === 'retry') {
    const { holder, seconds } = step;
    return { is: 'undecided', holder, seconds, freeIn: Math.max(1, Math.ceil(settleSeconds - view.age)) };
  }
  const by = step.act === 'refuse' ? runs.get(step.holder.name) : namesake;
  if (by === undefined) throw new Error('a run that refuses another was not read');
  return { is: step.act === 'refuse' ? 'held' : 'name taken', by };
}
