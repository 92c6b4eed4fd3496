import { describe, expect, test } from '@jest/globals';
import { evaluate } from '../../src/engine/evaluate.js';
import { defaultPolicy, type Policy } from '../../src/engine/policy.js';
import type { Rule, Violation } from '../../src/engine/rule.js';
import { findingJson, type FindingJson, type Verdict } from '../../src/engine/verdict.js';
import type { Family } from '../../src/fleet/kinds.js';
import { initializations } from '../../src/rules/targets.js';
import { start, type ChangeDraft, type Draft } from './builders.js';
import { DeclaredFleet } from './declared-fleet.js';
import { hostile, hostileCases, hostileTexts, paste, saidOf, textsIn, voicesIn } from './hostile.js';
import { changeIn, fleetIn, scopeOfName, scopes, type Scope } from './scopes.js';
import { unlistedFixes } from './printed-fixes.js';
import { commandsIn, warningCommands } from './warning-commands.js';

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

/** What is expected where a rule lacks a fact that it needs. */
export function cannotKnow(what: (scope: Scope) => string): (scope: Scope) => readonly Expected[] {
  return (scope) => [
    {
      path: '',
      outcome: 'undetermined',
      retry: true,
      message: `could not be checked: cannot know ${what(scope)}`,
      fix: 'Send the same again in a few seconds.',
    },
  ];
}

interface RuleTable {
  /** Good inputs, the nearest to the bad ones first of all. */
  readonly accepts: Readonly<Record<string, RuleCase>>;
  readonly rejects: Readonly<Record<string, RejectedCase>>;
}

/**
 * Runs every case of a rule in both scopes, through the engine, on frozen input, and compares findings exactly. The rule
 * gets no more of the fleet than it declares.
 */
export function testRule(rule: Rule, { accepts, rejects }: RuleTable): void {
  test(`${rule.id} reads every family that it declares, in some case`, () => {
    const cases: readonly RuleCase[] = [...Object.values(accepts), ...Object.values(rejects)];
    const asked = new Set(scopes.flatMap((scope) => cases.flatMap((given) => [...runCase(rule, given, scope).asked])));
    const declared = [...rule.reads, ...(rule.mentions ?? [])];
    expect({ neverAsked: declared.filter((family) => !asked.has(family)) }).toEqual({ neverAsked: [] });
  });

  test(`${rule.id} tells values as values, and what it prints can be pasted whatever they are`, () => {
    const said = new Set<string>();
    const fixes = new Set<string>();
    for (const scope of [scopeOfName('cluster', undefined), scopeOfName('hostile', `team-a${hostile}`)]) {
      for (const given of Object.values(rejects)) {
        const told = saidOf(runCase(rule, given, scope).verdict);
        for (const evil of hostileCases(inputOf(given, scope), told)) {
          const { verdict } = runCase(rule, { ...given, ...evil }, scope);
          said.add(saidOf(verdict));
          for (const { fix } of verdict.findings) fixes.add(fix.split('\n').slice(1).join('\n'));
        }
      }
    }
    expect([...said].flatMap(voicesIn)).toEqual([]);
    const lines = [...said].flatMap((text) => text.split('\n')).filter((line) => /EVIL|PWNED/.test(line));
    // Not every shell passes over comments.
    const uncommented = lines.map((line) => line.replace(/^\s*#/, ':'));
    const { calls, isOwned } = paste([...new Set([...fixes, ...lines, ...uncommented])]);
    expect({ isOwned }).toEqual({ isOwned: false });
    const words = new Set(calls.flat().filter((word) => /EVIL|PWNED|--all/.test(word)));
    const values = [...words].flatMap((word) => [...textsIn(JSON.parse(word))]);
    const evil = values.filter((value) => /EVIL|PWNED|--all/.test(value));
    expect(evil.filter((value) => !hostileTexts.some((text) => value.includes(text)))).toEqual([]);
  }, 60_000);

  describe.each(scopes)(`${rule.id}, $name`, (scope) => {
    test('has good and bad cases', () => {
      expect(Object.keys(accepts).length).toBeGreaterThan(0);
      expect(Object.keys(rejects).length).toBeGreaterThan(0);
    });
    test.each(Object.entries(accepts))('accepts %s', (_, given) => {
      expect(runCase(rule, given, scope).findings).toEqual([]);
    });
    test.each(Object.entries(rejects))('objects to %s', (_, given) => {
      const expected = typeof given.findings === 'function' ? given.findings(scope) : given.findings;
      const { findings, fixes } = runCase(rule, given, scope);
      expect(findings).toEqual(
        expected.map((finding) => ({
          rule: rule.id,
          severity: rule.severity,
          outcome: 'violated',
          fix: rule.fix,
          retry: false,
          ...finding,
        })),
      );
      expect({ notInPrintedFixes: unlistedFixes(rule.id, fixes) }).toEqual({ notInPrintedFixes: [] });
      // A warning is its message alone.
      const told = findings.filter(({ severity, message }) => severity === 'warn' && commandsIn(message).length > 0);
      expect(told.filter((finding) => !warningCommands.includes(finding.rule))).toEqual([]);
    });
  });
  if (rule.appliesTo === initializations) testPendingStarts(rule, rejects);
}

/** A rule about what KubeFleet looks at when it initializes a run says the same of one that is started before that. */
function testPendingStarts(rule: Rule, cases: Readonly<Record<string, RejectedCase>>): void {
  const places = ({ findings }: Run) => findings.map(({ severity, outcome, path }) => ({ severity, outcome, path }));
  describe.each(scopes)(`${rule.id} at the start of a run that is not initialized, $name`, (scope) => {
    test.each(Object.entries(cases))('objects to %s', (_, given) => {
      const change = typeof given.change === 'function' ? given.change(scope) : given.change;
      const { object, ...more } = change;
      // Whoever creates a run in another state may be told something else.
      if (more.operation !== 'CREATE' || (object?.json['spec'] as { state: string }).state !== 'Run') return;
      const late = { ...given, change: start(object as Draft, { ...more, operation: 'UPDATE' }) };
      expect(places(runCase(rule, late, scope))).toEqual(places(runCase(rule, given, scope)));
    });
  });
}

function inputOf(given: RuleCase, scope: Scope): { change: ChangeDraft; fleet: readonly Draft[] } {
  return {
    change: typeof given.change === 'function' ? given.change(scope) : given.change,
    fleet: typeof given.fleet === 'function' ? given.fleet(scope) : (given.fleet ?? []),
  };
}

interface Run {
  readonly verdict: Verdict;
  readonly findings: readonly FindingJson[];
  /** The fixes of what an operator can have refused; what is at most a warning prints none. */
  readonly fixes: readonly string[];
  readonly asked: ReadonlySet<Family>;
}

function runCase(rule: Rule, given: RuleCase, scope: Scope): Run {
  const { change, fleet: drafts } = inputOf(given, scope);
  const fleet = new DeclaredFleet(fleetIn(scope, drafts, given.knowledge), rule);
  const violations: Violation[] = [];
  const check: Rule['check'] = function* (...judged) {
    for (const violation of fleet.whileAsking(rule.check(...judged))) {
      violations.push(violation);
      yield violation;
    }
  };
  const verdict = evaluate(changeIn(scope, change), {
    rules: [{ ...rule, check }],
    fleet,
    policy: { ...defaultPolicy, ...given.policy },
    now: given.now ?? testNow,
    settlingFor: () => given.settlingFor ?? 0,
  });
  expect(verdict.failures).toEqual([]);
  expect({ asksUndeclared: fleet.undeclared }).toEqual({ asksUndeclared: [] });
  const fixes = violations.filter(({ atMost }) => atMost === undefined).map(({ fix = rule.fix }) => fix);
  return { verdict, findings: verdict.findings.map(findingJson), fixes, asked: fleet.asked };
}
