import { modeOf, type ModeSettings, type Mode } from '../../engine/policy.js';
import { fieldOf } from '../../fleet/json.js';
import type { RuleTally, Tally } from './tally.js';

/** What may become of a rule. */
export type Advice = 'refuses already' | 'can refuse' | 'cannot yet' | 'not seen' | 'off';

export interface Advised extends RuleTally {
  readonly mode: Mode;
  readonly advice: Advice;
  /** Stored objects that break it, by an audit. */
  readonly stored: number;
}

export interface Adoption {
  readonly tally: Tally;
  readonly rules: readonly Advised[];
}

/** What each rule could do, by what has happened, the settings and, where there is one, an audit. */
export function adoptionOf(tally: Tally, settings: ModeSettings, audited: ReadonlyMap<string, number>): Adoption {
  const rules = tally.rules.map((counted) => {
    const mode = modeOf(settings, counted.rule, undefined);
    return { ...counted, mode, advice: adviceFor(counted, mode), stored: audited.get(counted.rule.id) ?? 0 };
  });
  return { tally, rules };
}

/** A namespace may have a mode of its own, so that what a rule would have refused counts whatever its mode is for all. */
function adviceFor({ wouldRefuse, writes }: RuleTally, mode: Mode): Advice {
  if (wouldRefuse > 0) return 'cannot yet';
  if (mode === 'deny') return 'refuses already';
  if (mode === 'off') return 'off';
  return writes === 0 ? 'not seen' : 'can refuse';
}

/** How many findings of what is stored each rule has, by a report of `audit`; undefined for any other JSON. */
export function findingsByRule(report: unknown): ReadonlyMap<string, number> | undefined {
  const findings = fieldOf(report, 'findings');
  if (!Array.isArray(findings)) return undefined;
  const counts = new Map<string, number>();
  for (const finding of findings) {
    const rule = fieldOf(finding, 'rule');
    if (typeof rule === 'string') counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return counts;
}
