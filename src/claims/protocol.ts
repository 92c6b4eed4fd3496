import { areCompatible, type Rollout } from '../fleet/run.js';

/*
 * Who may have a placement. Everything here is a pure function of what one replica knows; docs/claims.md holds the same
 * table and says why each of its answers is safe.
 */

/** A run that has a placement to itself, or asks for it. */
export interface Claim {
  readonly uid: string;
  readonly name: string;
  readonly rollout: Rollout;
}

/**
 * The run behind a claim, as the API server has it: active (stuck included); idle (Initialize or Stop); over (being
 * deleted, finished, failed, or of another placement); absent (no run of that name and uid).
 */
export type HolderRun = 'active' | 'idle' | 'over' | 'absent';

export interface Holder {
  readonly claim: Claim;
  readonly run: HolderRun;
  /** Whether this replica saw the run stored at any time before `run` was read. */
  readonly wasStored: boolean;
}

/** A stored run of the name that a create asks for, under another uid. */
export type Namesake = 'none' | 'being deleted' | 'stored';

export type Concurrency = 'exclusive' | 'compatible';

/** All that a decision depends on. */
export interface Situation {
  readonly request: Claim;
  readonly namesake: Namesake;
  readonly holders: readonly Holder[];
  /** Seconds since this replica first saw this version of the claim, taken before `run` was read. */
  readonly age: number;
  /** Seconds after which an admitted write is stored or lost for good. */
  readonly settle: number;
  readonly concurrency: Concurrency;
  /**
   * Whether asking again makes a claim young again. A stored run may be started again at any time. A create is one request
   * with one uid, whose time began before its first review: a second review of it buys no time.
   */
  readonly renews: boolean;
}

export type Step =
  /** Write these claims, on the condition that nobody has written since; then admit. */
  | { readonly act: 'write'; readonly how: 'take' | 'refresh' | 'take over'; readonly claims: readonly Claim[] }
  /** The run holds the placement as it is: admit, and leave the claim to age. */
  | { readonly act: 'keep'; readonly claims: readonly Claim[] }
  /** The holder rolls out now. */
  | { readonly act: 'refuse'; readonly holder: Claim }
  /** The holder may be about to roll out: nobody knows before the claim has settled. */
  | { readonly act: 'retry'; readonly holder: Holder; readonly seconds: number }
  /** The create cannot succeed, now or at all. */
  | { readonly act: 'name taken'; readonly namesake: 'being deleted' | 'stored' };

/**
 * Client-go sends again 10 times. An equal share of the whole each time brings the last of them past the settle time; a
 * share of what is left would shrink with every attempt and never get there.
 */
const sharesOfTheWhole = 8;

/** The next step of a run that asks for a placement. */
export function decide(situation: Situation): Step {
  const { request, namesake, holders, age, settle } = situation;
  if (namesake !== 'none') return { act: 'name taken', namesake };
  const others = holders
    .filter(({ claim }) => claim.uid !== request.uid)
    .map((holder) => ({ holder, standing: standingOf(holder, age >= settle) }));
  const inTheWay = others.filter(({ holder, standing }) => standing !== 'gone' && !mayOverlap(holder, situation));
  const active = inTheWay.find(({ standing }) => standing === 'active');
  if (active !== undefined) return { act: 'refuse', holder: active.holder.claim };
  const [undecided] = inTheWay;
  if (undecided !== undefined) {
    const seconds = Math.max(1, Math.ceil(Math.min(settle - age, settle / sharesOfTheWhole)));
    return { act: 'retry', holder: undecided.holder, seconds };
  }
  const staying = others.filter(({ standing }) => standing !== 'gone').map(({ holder }) => holder.claim);
  const how = others.length > staying.length ? 'take over' : others.length < holders.length ? 'refresh' : 'take';
  const claims = [...staying, request];
  return how === 'refresh' && !situation.renews ? { act: 'keep', claims } : { act: 'write', how, claims };
}

type Standing = 'active' | 'undecided' | 'gone';

function standingOf({ run, wasStored }: Holder, isSettled: boolean): Standing {
  switch (run) {
    case 'active':
      return 'active';
    case 'over':
      return 'gone';
    case 'idle':
      // Its start may have been admitted and not be stored yet.
      return isSettled ? 'gone' : 'undecided';
    case 'absent':
      // A uid is stored once: what was there and is not there any more never comes back.
      return wasStored || isSettled ? 'gone' : 'undecided';
  }
}

function mayOverlap({ claim }: Holder, { request, concurrency }: Situation): boolean {
  return concurrency === 'compatible' && areCompatible(claim.rollout, request.rollout);
}
