import { describe, expect, test } from '@jest/globals';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy, type Policy } from '../../src/engine/policy.js';
import type { Rule } from '../../src/engine/rule.js';
import { findingJson, type FindingJson } from '../../src/engine/verdict.js';
import type { ChangeDraft, Draft } from './builders.js';
import { changeIn, fleetIn, scopes, type Scope } from './scopes.js';

/** The moment at which all tests happen. */
export const testNow = Date.parse('2026-11-16T09:00:00Z');

/** What a rule is expected to say; what is left out has the rule's own severity and fix, and does not heal. */
export interface Expected {
  readonly path: string;
  readonly message: string;
  readonly fix?: string;
  readonly severity?: 'deny' | 'warn';
  readonly outcome?: 'violated' | 'undetermined';
  readonly retry?: boolean;
}

export interface RuleCase {
  readonly change: ChangeDraft | ((scope: Scope) => ChangeDraft);
  readonly fleet?: readonly Draft[] | ((scope: Scope) => readonly Draft[]);
  /** `partial`: what the fleet does not hold is unknown. */
  readonly knowledge?: 'complete' | 'partial';
  readonly policy?: Partial<Policy>;
  readonly now?: number;
  readonly settlingFor?: number;
}

export interface RejectedCase extends RuleCase {
  readonly findings: readonly Expected[] | ((scope: Scope) => readonly Expected[]);
}

interface RuleTable {
  /** Good inputs, the nearest to the bad ones first of all. */
  readonly accepts: Readonly<Record<string, RuleCase>>;
  readonly rejects: Readonly<Record<string, RejectedCase>>;
}

/** Runs every case of a rule in both scopes, through the engine, on frozen input, and compares findings exactly. */
export function testRule(rule: Rule, { accepts, rejects }: RuleTable): void {
  describe.each(scopes)(`${rule.id}, $name`, (scope) => {
    test('has good and bad cases', () => {
      expect(Object.keys(accepts).length).toBeGreaterThan(0);
      expect(Object.keys(rejects).length).toBeGreaterThan(0);
    });
    test.each(Object.entries(accepts))('accepts %s', (_, given) => {
      expect(findingsOf(rule, given, scope)).toEqual([]);
    });
    test.each(Object.entries(rejects))('objects to %s', (_, given) => {
      const expected = typeof given.findings === 'function' ? given.findings(scope) : given.findings;
      expect(findingsOf(rule, given, scope)).toEqual(
        expected.map((finding) => ({
          rule: rule.id,
          severity: rule.severity,
          outcome: 'violated',
          fix: rule.fix,
          retry: false,
          ...finding,
        })),
      );
    });
  });
}

function findingsOf(rule: Rule, given: RuleCase, scope: Scope): readonly FindingJson[] {
  const fleet = typeof given.fleet === 'function' ? given.fleet(scope) : (given.fleet ?? []);
  const change = typeof given.change === 'function' ? given.change(scope) : given.change;
  const verdict = evaluate(changeIn(scope, change), {
    rules: [rule],
    fleet: fleetIn(scope, fleet, given.knowledge),
    policy: { ...defaultPolicy, ...given.policy },
    now: given.now ?? testNow,
    settlingFor: () => given.settlingFor ?? 0,
  });
  expect(verdict.failures).toEqual([]);
  return verdict.findings.map(findingJson);
}
