import type { Rule } from '../../src/engine/rule.js';
import type { Family } from '../../src/fleet/kinds.js';
import type { Families } from '../../src/fleet/model.js';
import type { Answer, FleetState, ListAnswer, ObjectKey, Query } from '../../src/fleet/state.js';

/**
 * A fleet that holds a rule to what it declares. It notes which families are asked for, and of those that the rule only
 * mentions it never knows that there is no more: a verdict that rests on them becomes "could not be checked".
 */
export class DeclaredFleet implements FleetState {
  readonly asked = new Set<Family>();
  private isAsking = false;

  constructor(
    private readonly fleet: FleetState,
    private readonly rule: Pick<Rule, 'reads' | 'mentions'>,
  ) {}

  /** Families that the rule asked for without a word of it in `reads` or `mentions`. */
  get undeclared(): readonly Family[] {
    return [...this.asked].filter((family) => !this.isRead(family) && !this.rule.mentions?.includes(family));
  }

  /** What the rule finds; what others ask for before and after is not the doing of the rule. */
  *whileAsking<T>(findings: Iterable<T>): Iterable<T> {
    this.isAsking = true;
    try {
      yield* findings;
    } finally {
      this.isAsking = false;
    }
  }

  get<F extends Family>(family: F, key: ObjectKey): Answer<Families[F]> {
    if (this.isAsking) this.asked.add(family);
    const answer = this.fleet.get(family, key);
    return answer.is === 'absent' && !this.isRead(family) ? { is: 'unknown' } : answer;
  }

  list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
    if (this.isAsking) this.asked.add(family);
    const { items, complete } = this.fleet.list(family, query);
    return { items, complete: complete && this.isRead(family) };
  }

  private isRead(family: Family): boolean {
    return this.rule.reads.includes(family);
  }
}
