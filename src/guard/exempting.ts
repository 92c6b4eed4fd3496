import type { Settings } from '../config/config.js';
import type { Change } from '../engine/change.js';
import {
  askedExemptions,
  asksForExemption,
  bypassAnnotation,
  bypassRight,
  exemptionText,
  guardsGate,
  isBypassTooLong,
  longestBypass,
  type AskedExemption,
  type RefusedExemption,
} from '../engine/exemption.js';
import type { Rule } from '../engine/rule.js';
import { refusalsOf, type Verdict } from '../engine/verdict.js';
import { describe } from '../errors.js';
import { quoted } from '../fleet/quoted.js';
import type { Requester, WantedAccess } from '../hub/access-answers.js';
import { catalogue } from '../rules/index.js';
import { bypassRole } from '../rules/wording/bypass-role.js';
import type { Judge, JudgeOptions } from './judge.js';
import { raisedBefore } from './time-left.js';

export interface ExemptingParts {
  readonly judge: Judge;
  /** Whether a requester has a right; undefined where there is no API server that could tell. */
  readonly may: ((requester: Requester, wanted: WantedAccess, signal: AbortSignal) => Promise<boolean>) | undefined;
  /** The rules about gates that the operator lets be bypassed. */
  readonly gates: () => readonly string[];
  readonly rules: readonly Rule[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that does not jump, as deadlines are told. */
  readonly elapsed: () => number;
}

/** What does not depend on where the guard runs. */
export function exemptingBy(settings: Settings): Pick<ExemptingParts, 'gates' | 'rules' | 'now' | 'elapsed'> {
  return {
    gates: () => settings.current().exemptions.gates,
    rules: catalogue,
    now: () => Date.now(),
    elapsed: () => performance.now(),
  };
}

/** Judging once more takes its time, and the answer has to travel. */
const marginMilliseconds = 200;

/** A rule that is bypassed may have kept others silent, which are then asked about in their turn. */
const mostRounds = 4;

/**
 * Judges as before; what would be refused by rules that the object asks to be exempted from is judged again without them,
 * where this requester may bypass them. Nobody is asked about a write that passes, or that names no rule that refuses it.
 */
export function createExemptingJudge(parts: ExemptingParts): Judge {
  return (change, options) => {
    const judged = parts.judge(change, options);
    return judged instanceof Promise
      ? judged.then((verdict) => heard(verdict, change, { parts, options }))
      : heard(judged, change, { parts, options });
  };
}

interface Asked {
  readonly parts: ExemptingParts;
  readonly options: JudgeOptions;
}

function heard(verdict: Verdict, change: Change, asked: Asked): Verdict | Promise<Verdict> {
  if (refusalsOf(verdict).length === 0 || !asksForExemption(change)) return verdict;
  if (isBypassTooLong(change)) return withExemptions(verdict, [], refusingRules(verdict).map(tooLong));
  return exempted(verdict, change, asked);
}

function tooLong(rule: string): RefusedExemption {
  const why = `${bypassAnnotation} is longer than ${String(longestBypass)} characters, and is not read`;
  return { rule, why, lines: [] };
}

function refusingRules(verdict: Verdict): readonly string[] {
  return [...new Set(refusalsOf(verdict).map(({ rule }) => rule))];
}

async function exempted(first: Verdict, change: Change, { parts, options }: Asked): Promise<Verdict> {
  const asked = askedExemptions(change, parts.now());
  const signal = raisedBefore(options.deadline, parts.elapsed(), marginMilliseconds);
  const used = new Map<string, AskedExemption>();
  const refused = new Map<string, RefusedExemption>();
  let verdict = first;
  for (let round = 0; round < mostRounds; round++) {
    const open = refusingRules(verdict).flatMap((rule) => (refused.has(rule) ? [] : (asked.get(rule) ?? [])));
    const why = await Promise.all(open.map((one) => obstacleTo(one, change, { parts, options, signal })));
    const granted = open.filter((_, index) => why[index] === undefined);
    for (const obstacle of why) if (obstacle !== undefined) refused.set(obstacle.rule, obstacle);
    if (granted.length === 0) break;
    for (const one of granted) used.set(one.rule, one);
    verdict = await parts.judge(change, { ...options, exempt: new Set(used.keys()) });
  }
  return withExemptions(verdict, [...used.values()], [...refused.values()]);
}

function withExemptions(
  verdict: Verdict,
  used: readonly AskedExemption[],
  refused: readonly RefusedExemption[],
): Verdict {
  if (used.length + refused.length === 0) return verdict;
  const bypass = used.map(exemptionText).join('; ');
  const audit = used.length === 0 ? verdict.audit : { ...verdict.audit, bypass };
  return { ...verdict, exemptions: { used, refused }, ...(audit !== undefined && { audit }) };
}

interface Asking extends Asked {
  readonly signal: AbortSignal;
}

/** Why a rule is not bypassed; undefined where it is. */
async function obstacleTo(
  { rule, flaw }: AskedExemption,
  change: Change,
  asking: Asking,
): Promise<RefusedExemption | undefined> {
  const { parts, options, signal } = asking;
  const { requester } = options;
  const refused = (why: string, lines: readonly string[] = []): RefusedExemption => ({ rule, why, lines });
  if (flaw !== undefined) return refused(flaw);
  const isGate = parts.rules.some((one) => one.id === rule && guardsGate(one));
  if (isGate && !parts.gates().includes(rule)) return refused('it guards a gate, and the settings do not list it');
  if (parts.may === undefined || requester === undefined) {
    return refused('there is no API server here that could tell who may bypass a rule');
  }
  const { namespace } = change;
  try {
    if (await parts.may(requester, { ...bypassRight, name: rule, namespace }, signal)) return undefined;
  } catch (error) {
    return refused(`whether ${quoted(requester.user)} may bypass it could not be asked: ${describe(error)}`);
  }
  const role = namespace === undefined ? 'ClusterRole' : 'Role';
  const why = `${quoted(requester.user)} may not bypass it. Whoever grants rights can bind them to this ${role}:`;
  return refused(why, bypassRole(rule, namespace));
}
