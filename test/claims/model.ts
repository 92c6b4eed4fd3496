import { decide, type Claim, type HolderRun, type Situation, type Step } from '../../src/claims/protocol.js';
import {
  add,
  at,
  copyOf,
  finish,
  has,
  isInGuard,
  isStored,
  isUnderWay,
  keyOf,
  knowledgeCode,
  lose,
  members,
  nothing,
  runOf,
  settle,
  stale,
  storedAmong,
  type Knowledge,
  type Runs,
  type RunState,
  type State,
  type Writer,
} from './model-state.js';

/*
 * A small world in which everything that can happen, happens: every order of the steps of three writers and two replicas
 * of the guard, one mishap at any moment (a crash, an answer that is lost, a Lease that someone deletes), writes that are
 * stored late or never, users who stop and delete runs, watches that lag, time that passes between any two steps. A step is one thing that is atomic in the real world.
 */

/** What users make of a stored run without asking the guard. A run that is being deleted is over, and blocks its name. */
const byUsers: Readonly<Record<RunState, readonly RunState[]>> = {
  absent: [],
  idle: ['gone'],
  active: ['idle', 'over', 'gone'],
  over: [],
  deleting: ['gone'],
  gone: [],
};

export interface Actor {
  /** Runs of one name stand in each other's way when they are created. */
  readonly name: string;
  readonly initially: RunState;
  /**
   * `start`: state becomes Run. `release`: no run, but the caretaker, who removes a claim that anyone could take over.
   * `forge`: no API server, but someone who sends reviews of a create that nobody asked for, again and again. Without a
   * write the run is only there.
   */
  readonly writes?: 'create' | 'start' | 'release' | 'forge';
  readonly index?: string;
}

export interface Scenario {
  readonly actors: readonly Actor[];
  /** Whose claim is there from the beginning, settled and known to both replicas. */
  readonly holder?: number;
  readonly concurrency?: Situation['concurrency'];
  /** Whether a replica may write and not hear of it; with three writers there would be too many states. */
  readonly losesAnswers?: boolean;
  /** Whether someone may delete the Lease by hand, once every replica has seen it. */
  readonly isDeletedByHand?: boolean;
  /** Whether to watch how long a placement is refused; this makes several times as many states. */
  readonly timesRefusals?: boolean;
}

/** How the guard works; each field is a way to break it. */
export interface Protocol {
  readonly decide: (situation: Situation) => Step;
  readonly comparesAndSwaps: boolean;
  /** Tells the age by the clock on the wall, which jumps once. */
  readonly readsTheWall: boolean;
  readonly admitsNamesakesUnclaimed: boolean;
  /** Looks at age and memory only after the holder's run was read. */
  readonly looksTooLate: boolean;
  /** Writes the claim of the holder anew whenever it asks someone to come back. */
  readonly refreshesOnRetry: boolean;
  /** Makes the claim of a create young again whenever its review comes again. */
  readonly renewsCreates: boolean;
  /** Forgets who held a Lease as soon as it is gone. */
  readonly forgetsWhatIsGone: boolean;
}

export const ourProtocol: Protocol = {
  decide,
  comparesAndSwaps: true,
  readsTheWall: false,
  admitsNamesakesUnclaimed: false,
  looksTooLate: false,
  refreshesOnRetry: false,
  renewsCreates: false,
  forgetsWhatIsGone: false,
};

const longAgo = settle + 60;

const names = ['first', 'second', 'third', 'fourth'];

/** What went wrong, and the steps that led there. */
export interface Violation {
  readonly what: string;
  readonly trace: readonly string[];
}

export interface Explored {
  readonly states: number;
  readonly admissions: number;
  readonly violation?: Violation;
}

type CameFrom = Map<string, { readonly key: string; readonly step: string } | undefined>;

export class Model {
  private violated: string | undefined;
  private admissions = 0;
  private readonly concurrency: Situation['concurrency'];
  private readonly claims: readonly Claim[];

  constructor(
    private readonly scenario: Scenario,
    private readonly protocol: Protocol = ourProtocol,
  ) {
    this.concurrency = scenario.concurrency ?? 'exclusive';
    this.claims = scenario.actors.map(({ name, index }, i) => {
      const rollout = {
        stagedRolloutStrategyName: 'rings',
        ...(index !== undefined && { resourceSnapshotIndex: index }),
      };
      return { uid: String(i), name, rollout };
    });
  }

  /** Visits every state that can be reached, each once, until one is wrong. */
  explore(): Explored {
    const first = this.initial();
    const cameFrom: CameFrom = new Map([[keyOf(first), undefined]]);
    const open: State[] = [first];
    for (let state = open.pop(); state !== undefined; state = open.pop()) {
      const key = keyOf(state);
      this.violated = this.faultOf(state);
      if (this.violated !== undefined) return this.report(cameFrom, key);
      for (const [step, next] of this.steps(state)) {
        // To see a run late only makes for refusals, and whoever is refused might as well not have asked.
        for (const replica of next.replicas) replica.seen = storedAmong(next.runs, replica.seen);
        this.forgeAgain(next);
        this.simplify(next);
        const reached = keyOf(next);
        if (!cameFrom.has(reached)) {
          cameFrom.set(reached, { key, step });
          open.push(next);
        }
        if (this.isBroken()) return this.report(cameFrom, reached);
      }
    }
    return { states: cameFrom.size, admissions: this.admissions };
  }

  /** Whether a step has just shown a fault. */
  private isBroken(): boolean {
    return this.violated !== undefined;
  }

  /** Nothing that was forged is ever stored, and whatever the answer is, it is sent again. */
  private forgeAgain({ writers }: State): void {
    for (const [i, writer] of writers.entries()) {
      if (!this.isForger(i) || (writer.phase !== 'admitted' && writer.phase !== 'done')) continue;
      finish(writer);
      writer.phase = 'new';
    }
  }

  private isForger(i: number): boolean {
    return at(this.scenario.actors, i).writes === 'forge';
  }

  private report(cameFrom: CameFrom, reached: string): Explored {
    const trace: string[] = [];
    for (let from = cameFrom.get(reached); from !== undefined; from = cameFrom.get(from.key)) trace.unshift(from.step);
    return { states: cameFrom.size, admissions: this.admissions, violation: { what: this.violated ?? '', trace } };
  }

  private initial(): State {
    const { actors, holder } = this.scenario;
    const seen = storedAmong(
      actors.map(({ initially }) => initially),
      0,
    );
    const isHeld = holder !== undefined;
    const holders = isHeld ? add(0, holder) : 0;
    const known = { ...nothing, version: Number(isHeld), holders, age: isHeld ? settle : 0, seen };
    return {
      lease: isHeld ? { version: 1, holders, hasJumped: false } : undefined,
      runs: actors.map(({ initially }) => initially),
      replicas: [known, { ...known }],
      writers: actors.map(({ writes }) => ({ phase: writes === undefined ? 'done' : 'new', replica: 0, age: 0 })),
      mishaps: 0,
    };
  }

  private faultOf(state: State): string | undefined {
    const active = state.runs.flatMap((run, i) => (run === 'active' ? [i] : []));
    if (active.some((a) => active.some((b) => a < b && !this.mayOverlap(a, b)))) return 'two runs are active';
    if (active.length > 0 || state.writers.some(isUnderWay)) return undefined;
    return this.isFreeInTime(state) ? undefined : 'a placement stays blocked';
  }

  /**
   * Whether a newcomer gets the placement once the settle time has passed with nothing under way, even from a replica
   * that remembers nothing.
   */
  private isFreeInTime({ lease, runs }: State): boolean {
    const request: Claim = { uid: 'newcomer', name: 'newcomer', rollout: { stagedRolloutStrategyName: 'other' } };
    const holders = members(lease?.holders ?? 0).map((i) => this.holder(i, runOf(at(runs, i)), 0));
    const { concurrency } = this;
    const now = { namesake: 'none', holders, age: settle, settle, concurrency, renews: true } as const;
    const step = this.protocol.decide({ request, ...now });
    return step.act === 'write';
  }

  private mayOverlap(a: number, b: number): boolean {
    const [one, other] = [at(this.scenario.actors, a).index, at(this.scenario.actors, b).index];
    return this.concurrency === 'compatible' && one !== undefined && one === other;
  }

  private holder(i: number, run: HolderRun, seen: Runs): Situation['holders'][number] {
    return { claim: at(this.claims, i), run, wasStored: has(seen, i) };
  }

  /** Everything that can happen next, each with the state it leads to. */
  private *steps(state: State): Generator<readonly [string, State]> {
    for (const i of state.writers.keys()) yield* this.writerActs(state, i);
    for (const r of state.replicas.keys()) yield* this.replicaActs(state, r);
    for (const [i, run] of state.runs.entries()) {
      for (const become of byUsers[run]) {
        const next = copyOf(state);
        next.runs[i] = become;
        yield [`run ${String(i)} becomes ${become}`, next];
      }
    }
    yield ['time passes', this.tick(copyOf(state))];
    if (this.canBeDeleted(state)) yield ['someone deletes the Lease', this.deleted(copyOf(state))];
    if (this.protocol.readsTheWall && state.lease?.hasJumped === false) {
      yield ['the clock jumps', { ...copyOf(state), lease: { ...state.lease, hasJumped: true } }];
    }
  }

  private *writerActs(state: State, i: number): Generator<readonly [string, State]> {
    const who = `the ${names[i] ?? ''} run`;
    switch (at(state.writers, i).phase) {
      case 'new':
        if (!this.canAsk(state, i)) return;
        for (const r of state.replicas.keys()) yield [`${who} asks replica ${r}`, this.asked(copyOf(state), i, r)];
        return;
      case 'asked':
        for (const namesake of this.namesakes(state, i)) {
          yield [`${who}: the holder's run is read`, this.read(copyOf(state), i, namesake)];
        }
        return;
      case 'read':
        yield [`${who}: the claim is written`, this.written(copyOf(state), i)];
        if (this.scenario.losesAnswers !== true || state.mishaps > 0 || this.isRelease(i)) return;
        yield [`${who}: the claim is written, and the answer is lost`, this.writtenUnheard(copyOf(state), i)];
        return;
      case 'lost': {
        const next = copyOf(state);
        finish(at(next.writers, i));
        yield [`${who} is refused`, next];
        const again = copyOf(state);
        const { replica } = at(again.writers, i);
        this.watch(again, replica);
        const asked = this.asked(again, i, replica);
        at(asked.writers, i).isFresh = true;
        yield [`${who}: the Lease is read anew`, asked];
        return;
      }
      case 'admitted': {
        const dropped = copyOf(state);
        finish(at(dropped.writers, i));
        yield [`${who} is never stored`, dropped];
        if (!this.canBeStored(state, i)) return;
        const stored = copyOf(dropped);
        stored.runs[i] = 'active';
        yield [`${who} is stored`, stored];
        return;
      }
      case 'done':
    }
  }

  private isRelease(i: number): boolean {
    return at(this.scenario.actors, i).writes === 'release';
  }

  /** What no replica has seen, none can remember. */
  private canBeDeleted({ lease, replicas, mishaps }: State): boolean {
    if (this.scenario.isDeletedByHand !== true || mishaps > 0 || lease === undefined) return false;
    return replicas.every(({ version }) => version === lease.version);
  }

  private deleted(state: State): State {
    state.mishaps = 1;
    state.lease = undefined;
    // Until a replica hears of it, its writes fail; so it might as well hear of it at once.
    for (const replica of state.replicas) {
      replica.version = 0;
      if (this.protocol.forgetsWhatIsGone) replica.holders = 0;
    }
    return state;
  }

  private canAsk({ runs, writers }: State, i: number): boolean {
    const { actors, holder } = this.scenario;
    if (at(actors, i).writes === 'start' && runs[i] !== 'idle') return false;
    // Of writers that are alike, the first asks first: any other order is the same with other names.
    const kindOf = (j: number): string => {
      const { initially, writes, index } = at(actors, j);
      return j === holder || this.sharesName(j) ? String(j) : [initially, writes, index].join();
    };
    return !writers.some(({ phase }, j) => j < i && phase === 'new' && kindOf(j) === kindOf(i));
  }

  private sharesName(i: number): boolean {
    const { actors } = this.scenario;
    return actors.some(({ name }, j) => j !== i && name === at(actors, i).name);
  }

  private canBeStored({ runs, writers }: State, i: number): boolean {
    if (at(writers, i).age >= settle) return false;
    const { writes, name } = at(this.scenario.actors, i);
    if (writes === 'start') return runs[i] === 'idle';
    return !runs.some((run, j) => j !== i && isStored(run) && at(this.scenario.actors, j).name === name);
  }

  private asked(state: State, i: number, r: number): State {
    const writer = at(state.writers, i);
    const known = at(state.replicas, r);
    const hasJumped = state.lease?.hasJumped === true && state.lease.version === known.version;
    const age = this.protocol.readsTheWall && hasJumped ? longAgo : known.age;
    Object.assign(writer, { phase: 'asked', replica: r, look: { ...known, age } });
    return state;
  }

  /** A replica may or may not have heard of a run of the same name. */
  private namesakes({ runs }: State, i: number): readonly Situation['namesake'][] {
    const { writes, name } = at(this.scenario.actors, i);
    if (writes !== 'create') return ['none'];
    const found = runs.find((run, j) => j !== i && isStored(run) && at(this.scenario.actors, j).name === name);
    return found === undefined ? ['none'] : ['none', found === 'deleting' ? 'being deleted' : 'stored'];
  }

  private read(state: State, i: number, namesake: Situation['namesake']): State {
    const writer = at(state.writers, i);
    const { look = nothing } = writer;
    const runs = members(look.holders).map((holder) => runOf(at(state.runs, holder)));
    Object.assign(writer, { phase: 'read', runs, namesake });
    // What was looked at and read does not change any more, so that the decision is as good now as later.
    if (!this.protocol.looksTooLate) this.decideOn(state, i);
    return state;
  }

  private decideOn(state: State, i: number): void {
    const writer = at(state.writers, i);
    const { look = nothing, runs = [], namesake = 'none' } = writer;
    if (namesake !== 'none' && this.protocol.admitsNamesakesUnclaimed) {
      Object.assign(writer, { phase: 'admitted', look: undefined, runs: undefined, namesake: undefined });
      return;
    }
    const now = at(state.replicas, writer.replica);
    const { age, seen } = this.protocol.looksTooLate && now.version === look.version ? now : look;
    const holders = members(look.holders).map((holder, n) => this.holder(holder, runs[n] ?? 'absent', seen));
    const { concurrency } = this;
    const renews = at(this.scenario.actors, i).writes === 'start' || this.protocol.renewsCreates;
    const situation = { request: at(this.claims, i), namesake, holders, age, settle, concurrency, renews };
    const step = this.protocol.decide(situation);
    if (step.act === 'keep' && look.version !== 0) {
      this.keep(writer);
      return;
    }
    if (step.act === 'write' || step.act === 'keep') {
      writer.claims = step.claims.reduce((claims, { uid }) => add(claims, Number(uid)), 0);
      writer.look = { ...nothing, version: look.version };
      writer.runs = writer.namesake = undefined;
      return;
    }
    if (step.act === 'retry') this.asksBack(state, look);
    finish(writer);
  }

  /** Nothing is written, so the Lease must have been read; whatever happened since does not matter. */
  private keep(writer: Writer): void {
    if (writer.isFresh !== true) {
      lose(writer);
      return;
    }
    this.admissions += 1;
    const { age } = writer;
    finish(writer);
    Object.assign(writer, { phase: 'admitted', age });
  }

  private asksBack(state: State, look: Knowledge): void {
    if (look.dead >= settle) this.violated = 'a placement was blocked for longer than the settle time';
    if (this.protocol.refreshesOnRetry && state.lease?.version === look.version) state.lease.version += 1;
  }

  private written(state: State, i: number): State {
    if (this.protocol.looksTooLate) this.decideOn(state, i);
    const writer = at(state.writers, i);
    const { claims, look = nothing, replica } = writer;
    if (claims === undefined) return state;
    const version = state.lease?.version ?? 0;
    if (this.protocol.comparesAndSwaps && look.version !== version) {
      lose(writer);
      return state;
    }
    if (this.isRelease(i)) {
      state.lease = undefined;
      finish(writer);
      return state;
    }
    this.admissions += 1;
    const isLife = !this.isForger(i) || claims !== state.lease?.holders;
    state.lease = { version: version + 1, holders: claims, hasJumped: false };
    if (isLife) for (const known of state.replicas) known.dead = 0;
    this.watch(state, replica);
    const rest = { look: undefined, claims: undefined, isFresh: undefined };
    Object.assign(writer, { phase: 'admitted', replica: 0, ...rest });
    return state;
  }

  /** The guard does not know whether it has written: it looks again, or gives up. */
  private writtenUnheard(state: State, i: number): State {
    const { replica } = at(state.writers, i);
    const known = { ...at(state.replicas, replica) };
    const { phase } = at(this.written(state, i).writers, i);
    state.mishaps = 1;
    if (phase !== 'admitted') return state;
    this.admissions -= 1;
    state.replicas[replica] = { ...known, dead: 0 };
    Object.assign(at(state.writers, i), { phase: 'lost', replica });
    return state;
  }

  private *replicaActs(state: State, r: number): Generator<readonly [string, State]> {
    const replica = at(state.replicas, r);
    if (replica.version !== (state.lease?.version ?? 0)) {
      const next = copyOf(state);
      this.watch(next, r);
      yield [`replica ${r} sees the Lease`, next];
    }
    if (state.mishaps === 0) {
      const next = copyOf(state);
      next.mishaps = 1;
      next.replicas[r] = { ...nothing };
      for (const writer of next.writers) if (writer.replica === r && isInGuard(writer)) finish(writer);
      yield [`replica ${r} crashes and starts anew`, next];
    }
  }

  private watch({ lease, replicas }: State, r: number): void {
    const replica = at(replicas, r);
    const { version = 0, holders = 0 } = lease ?? {};
    if (replica.version === version) return;
    const dead = replica.holders === holders ? replica.dead : 0;
    Object.assign(replica, { version, holders, age: 0, dead });
  }

  private tick(state: State): State {
    for (const replica of state.replicas) {
      replica.dead = this.scenario.timesRefusals === true && this.isDead(state, replica) ? settle : 0;
      if (replica.version !== 0 || replica.holders !== 0) replica.age = settle;
    }
    for (const writer of state.writers) if (isUnderWay(writer)) writer.age = settle;
    return state;
  }

  /** Whether the holders that a replica sees hold the placement in name only. */
  private isDead({ lease, runs, writers }: State, { holders }: Knowledge): boolean {
    if (lease?.holders !== holders) return false;
    return members(holders).every((i) => runs[i] !== 'active' && (this.isForger(i) || !isUnderWay(at(writers, i))));
  }

  /** Leaves out what nobody will look at again, so that states from which the same can come are the same. */
  private simplify(state: State): void {
    if (!this.protocol.comparesAndSwaps || this.protocol.refreshesOnRetry) return;
    const { lease, replicas, writers } = state;
    const version = lease?.version ?? 0;
    const newest = Math.min(version, 1);
    const ofInterest = this.forget(state);
    for (const replica of replicas) {
      if (replica.version === version) replica.version = newest;
      else Object.assign(replica, { ...nothing, version: stale, seen: replica.seen });
      replica.seen &= ofInterest;
    }
    for (const [i, writer] of writers.entries()) {
      const { look } = writer;
      if (look === undefined) continue;
      if (look.version !== version && keptBy(writer, i) !== 0) writer.look = { ...look, version: stale };
      else simplifyLook(writer, look, { version, newest, ofInterest });
    }
    if (lease !== undefined) lease.version = newest;
    this.sortReplicas(state);
  }

  /** Forgets writes and runs of which nothing can come any more; the answer is the runs that still matter. */
  private forget({ lease, runs, writers }: State): Runs {
    let ofInterest = lease?.holders ?? 0;
    for (const [i, writer] of writers.entries()) {
      const isLost = writer.phase === 'admitted' && writer.age >= settle;
      const isInVain = writer.phase === 'new' && at(this.scenario.actors, i).writes === 'start' && runs[i] === 'gone';
      if (isLost || isInVain) finish(writer);
      if (writer.phase !== 'done') ofInterest = add(ofInterest, i);
      ofInterest |= keptBy(writer, i);
    }
    for (const [i, run] of runs.entries()) {
      const isForgotten = !has(ofInterest, i) && run !== 'active' && !this.sharesName(i);
      if (isForgotten && isStored(run)) runs[i] = 'gone';
    }
    return ofInterest;
  }

  /** The two replicas are alike: which of them is called the first makes no difference. */
  private sortReplicas({ replicas, writers }: State): void {
    if (knowledgeCode(at(replicas, 0)) <= knowledgeCode(at(replicas, 1))) return;
    replicas.reverse();
    for (const writer of writers) if (isInGuard(writer)) writer.replica = 1 - writer.replica;
  }
}

/** Whoever found its own claim when it read the Lease may decide by that, though the Lease has been written since. */
function keptBy({ phase, isFresh, look = nothing }: Writer, i: number): Runs {
  return phase === 'asked' && isFresh === true && has(look.holders, i) ? look.holders : 0;
}

interface Newest {
  readonly version: number;
  readonly newest: number;
  readonly ofInterest: Runs;
}

function simplifyLook(writer: Writer, look: Knowledge, { version, newest, ofInterest }: Newest): void {
  if (look.version !== version) lose(writer);
  else writer.look = { ...look, version: newest, seen: look.seen & ofInterest };
}
