import type { Rule } from '../../engine/rule.js';
import { fieldOf, isObject } from '../../fleet/json.js';
import { kinds, type Family } from '../../fleet/kinds.js';

/** Who wrote what, as a line of the log has it. */
interface Write {
  readonly user: string;
  readonly object: string;
  readonly kind: string;
  readonly operation: string;
}

/** The same thing by the same user, however often. */
export interface Repeated {
  readonly write: Write;
  /** Of an exemption: the rule and the reason. */
  readonly text: string;
  readonly times: number;
  readonly last: string;
}

/** What a rule made of the writes, and would have made of them in mode deny. */
export interface RuleTally {
  readonly rule: Rule;
  /** Writes of the kind that it judges. */
  readonly writes: number;
  readonly refused: number;
  readonly wouldRefuse: number;
  readonly offenders: readonly Repeated[];
  /** Further offences, of users or objects that are not among these. */
  readonly moreOffences: number;
}

/** All that the lines of a log come to. */
export interface Tally {
  readonly lines: number;
  readonly decisions: number;
  /** Writes that no rule has judged: the guard had no time, or could not read them. */
  readonly unjudged: number;
  readonly dryRuns: number;
  /** Lines that are too long to be looked at. */
  readonly tooLong: number;
  readonly since: string;
  readonly until: string;
  readonly rules: readonly RuleTally[];
  readonly exemptions: readonly Repeated[];
  readonly moreExemptions: number;
}

/** Names come from users without number; what is over these is counted, and not kept. */
const mostOffenders = 10;
const mostExemptions = 200;

/** A list of what is alike, which never holds more than so many. */
class Repetitions {
  private readonly kept = new Map<string, Repeated>();
  more = 0;

  constructor(private readonly most: number) {}

  add(write: Write, text: string, time: string): void {
    const key = JSON.stringify([write.user, write.object, write.kind, text]);
    const known = this.kept.get(key);
    if (known === undefined && this.kept.size >= this.most) this.more += 1;
    else this.kept.set(key, { write, text, times: (known?.times ?? 0) + 1, last: time });
  }

  list(): readonly Repeated[] {
    return [...this.kept.values()].sort((a, b) => b.times - a.times);
  }
}

interface Counted {
  readonly rule: Rule;
  writes: number;
  refused: number;
  wouldRefuse: number;
  readonly offenders: Repetitions;
}

/** Counts what the lines of a guard's log tell, in memory that does not grow with them. */
export class LogTally {
  private readonly counts = { lines: 0, decisions: 0, unjudged: 0, dryRuns: 0, tooLong: 0 };
  private readonly times = { since: '', until: '' };
  private readonly byRule: ReadonlyMap<string, Counted>;
  private readonly byTarget = new Map<string, Counted[]>();
  private readonly exemptions = new Repetitions(mostExemptions);

  constructor(rules: readonly Rule[]) {
    const fresh = { writes: 0, refused: 0, wouldRefuse: 0 };
    this.byRule = new Map(
      rules.map((rule) => [rule.id, { rule, ...fresh, offenders: new Repetitions(mostOffenders) }]),
    );
    for (const counted of this.byRule.values()) {
      for (const target of new Set(targetsOf(counted.rule))) {
        this.byTarget.set(target, [...(this.byTarget.get(target) ?? []), counted]);
      }
    }
  }

  /** One line of the log, whatever it holds; undefined for one that is too long. */
  add(line: string | undefined): void {
    this.counts.lines += 1;
    if (line === undefined) this.counts.tooLong += 1;
    const decision = line === undefined ? undefined : decisionIn(line);
    if (decision === undefined) return;
    if (fieldOf(decision, 'endpoint') !== 'validate') return;
    this.counts.decisions += 1;
    const time = textIn(decision, 'time');
    if (this.times.since === '' || time < this.times.since) this.times.since = time;
    if (time > this.times.until) this.times.until = time;
    if (fieldOf(decision, 'dryRun') === true) this.counts.dryRuns += 1;
    else if (fieldOf(decision, 'decision') === 'unavailable') this.counts.unjudged += 1;
    else this.judged(decision, time);
  }

  result(): Tally {
    const rules = [...this.byRule.values()].map(({ offenders, ...counted }) => ({
      ...counted,
      offenders: offenders.list(),
      moreOffences: offenders.more,
    }));
    const exemptions = { exemptions: this.exemptions.list(), moreExemptions: this.exemptions.more };
    return { ...this.counts, ...this.times, rules, ...exemptions };
  }

  private judged(decision: object, time: string): void {
    const write = writeIn(decision);
    for (const counted of this.byTarget.get(targetIn(decision)) ?? []) counted.writes += 1;
    for (const id of idsIn(textIn(decision, 'wouldRefuse'))) {
      const counted = this.byRule.get(id);
      if (counted === undefined) continue;
      counted.wouldRefuse += 1;
      counted.offenders.add(write, '', time);
    }
    for (const mode of idsIn(textIn(decision, 'modes'))) {
      const counted = mode.endsWith('=deny') ? this.byRule.get(mode.slice(0, -'=deny'.length)) : undefined;
      if (counted !== undefined) counted.refused += 1;
    }
    const bypass = textIn(decision, 'bypass');
    if (bypass !== '') this.exemptions.add(write, bypass, time);
  }
}

/** What stands before the JSON is of whoever collected the lines, such as `kubectl logs --prefix`. */
function decisionIn(line: string): object | undefined {
  if (!line.includes('"decided"')) return undefined;
  try {
    const json: unknown = JSON.parse(line.slice(line.indexOf('{')));
    return isObject(json) && json['msg'] === 'decided' ? json : undefined;
  } catch {
    return undefined;
  }
}

function writeIn(decision: object): Write {
  const field = (name: string): string => textIn(decision, name).slice(0, 512);
  return { user: field('user'), object: field('object'), kind: field('kind'), operation: field('operation') };
}

const familyOfKind = new Map<unknown, Family>(kinds.map(({ kind, family }) => [kind, family]));

/** The writes that a rule judges, as `targetIn` has them. */
function targetsOf({ appliesTo }: Rule): readonly string[] {
  return appliesTo.flatMap(({ family, operations, subresource = '' }) =>
    operations.map((operation) => `${family} ${operation} ${subresource}`),
  );
}

function targetIn(decision: object): string {
  const family = familyOfKind.get(fieldOf(decision, 'kind')) ?? '';
  return `${family} ${textIn(decision, 'operation')} ${textIn(decision, 'subresource')}`;
}

function idsIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(',');
}

function textIn(json: object, field: string): string {
  const value = fieldOf(json, field);
  return typeof value === 'string' ? value : '';
}
