import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  causesOf,
  count,
  findingText,
  fixWith,
  quoteList,
  refusalText,
  subjectName,
  warningText,
  warningTexts,
} from '../../src/engine/message.js';
import type { Finding, Verdict } from '../../src/engine/verdict.js';

const finding: Finding = {
  rule: 'run-cluster-in-one-stage',
  severity: 'deny',
  outcome: 'violated',
  path: ['spec', 'stagedRolloutStrategyName'],
  message: 'stages "all" and "canary" both select cluster "eu"',
  fix: 'Make the label selectors of the named stages disjoint.',
  retry: false,
};

const verdict = (...findings: readonly Partial<Finding>[]): Verdict => ({
  subject: { kind: 'StagedUpdateRun', namespace: 'team-a', name: 'release-42' },
  findings: findings.map((more) => ({ ...finding, ...more })),
  failures: [],
  undetermined: [],
});

describe('a list of names', () => {
  const numbered = (length: number): string[] => Array.from({ length }, (_, i) => `c${String(i).padStart(2, '0')}`);

  test.each<[string, string[], string]>([
    ['none', [], 'none'],
    ['one', ['a'], '"a"'],
    ['two', ['b', 'a'], '"a" and "b"'],
    ['three', ['c', 'a', 'b'], '"a", "b" and "c"'],
    ['the same name twice', ['a', 'b', 'a'], '"a" and "b"'],
    ['a name with a quote and a line break', ['a"\n'], '"a\\"\\n"'],
    [
      'ten, all of them',
      numbered(10).reverse(),
      '"c00", "c01", "c02", "c03", "c04", "c05", "c06", "c07", "c08" and "c09"',
    ],
    [
      'more than ten, with the number of the rest',
      numbered(14),
      '"c00", "c01", "c02", "c03", "c04", "c05", "c06", "c07", "c08", "c09" and 4 more',
    ],
  ])('%s', (_name, names, text) => {
    expect(quoteList(names)).toBe(text);
  });

  test('may come from anything that can be walked', () => {
    expect(quoteList(new Set(['b', 'a']))).toBe('"a" and "b"');
  });
});

test('numbers agree with their nouns', () => {
  expect([count(0, 'cluster'), count(1, 'cluster'), count(2, 'cluster'), count(3, 'policy', 'policies')]).toEqual([
    '0 clusters',
    '1 cluster',
    '2 clusters',
    '3 policies',
  ]);
});

test('an object is named with its namespace if it has one', () => {
  expect(subjectName({ kind: 'X', namespace: 'team-a', name: 'a' })).toBe('team-a/a');
  expect(subjectName({ kind: 'X', namespace: undefined, name: 'a' })).toBe('a');
});

describe('a refusal', () => {
  test('says what and where, then how to fix it, rule by rule', () => {
    const text = refusalText(
      verdict(
        {},
        {
          rule: 'run-snapshot-exists',
          path: ['spec', 'resourceSnapshotIndex'],
          message: 'placement "app" has no snapshot "7"; it has "4", "5" and "6"',
          fix: fixWith('Name a snapshot that exists:', 'kubectl get resourcesnapshots -n team-a', '  --show-labels'),
        },
        { rule: 'run-not-started', severity: 'warn' },
      ),
    );
    expect(text).toBe(
      [
        'refused by 2 rules: StagedUpdateRun team-a/release-42',
        '[run-cluster-in-one-stage] spec.stagedRolloutStrategyName: stages "all" and "canary" both select cluster "eu"',
        '  Fix: Make the label selectors of the named stages disjoint.',
        '[run-snapshot-exists] spec.resourceSnapshotIndex: placement "app" has no snapshot "7"; it has "4", "5" and "6"',
        '  Fix: Name a snapshot that exists:',
        '    kubectl get resourcesnapshots -n team-a',
        '      --show-labels',
      ].join('\n'),
    );
  });

  test('counts rules, not findings', () => {
    expect(refusalText(verdict({}, { message: 'another' }))).toMatch(/^refused by 1 rule: /);
  });

  test('is "for now" only where all that refuses may heal', () => {
    expect(refusalText(verdict({ retry: true }, { severity: 'warn' }))).toMatch(/^refused for now by 1 rule: /);
    expect(refusalText(verdict({ retry: true }, { message: 'stays' }))).toMatch(/^refused by 1 rule: /);
  });

  test('ends with the footer of the settings', () => {
    expect(refusalText(verdict({}), 'Ask #fleet for help.').split('\n').at(-1)).toBe('Ask #fleet for help.');
    expect(refusalText(verdict({}))).not.toMatch(/\n$/);
  });
});

test('a finding about the object as a whole names no place', () => {
  expect(findingText({ ...finding, path: [], message: 'is alone' })).toBe(
    '[run-cluster-in-one-stage] is alone\n  Fix: Make the label selectors of the named stages disjoint.',
  );
});

describe('warnings', () => {
  test('are the warnings of a verdict, one each, with their rule', () => {
    expect(
      warningTexts(verdict({}, { severity: 'warn', rule: 'a', message: 'x' }, { severity: 'warn', rule: 'b' })),
    ).toEqual(['[a] x', `[b] ${finding.message}`]);
  });

  test.each([
    ['stays as it is', 'plain text', 'plain text'],
    ['keeps inner spaces', 'a  b', 'a  b'],
    ['has its line breaks told', 'a\n  b\r\nc', 'a\\n  b\\r\\nc'],
    ['has control characters told', 'a\tb\u0000c\u007fd\u0085e', 'a\\tb\\u0000c\\u007fd\\u0085e'],
    ['has half a surrogate pair told', 'a\ud83db', 'a\\ud83db'],
    ['keeps a whole surrogate pair', 'a\u{1f600}b', 'a\u{1f600}b'],
    ['of 256 characters is whole', 'x'.repeat(256), 'x'.repeat(256)],
    ['of 257 characters is cut', 'x'.repeat(257), `${'x'.repeat(255)}…`],
    ['is not cut within a surrogate pair', `${'x'.repeat(254)}\u{1f600}yz`, `${'x'.repeat(254)}…`],
    ['keeps the surrogate pair before the cut', `${'x'.repeat(253)}\u{1f600}yz`, `${'x'.repeat(253)}\u{1f600}…`],
  ])('one that %s', (_name, text, expected) => {
    expect(warningText(text)).toBe(expected);
  });

  test('any text comes to one line that the API server takes', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\n', '\ud800', ' '))), (parts) => {
        const line = warningText(parts.join(''));
        expect(line.length).toBeLessThanOrEqual(256);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}]/u);
      }),
    );
  });

  test('a megabyte of spaces is no trouble', () => {
    expect(warningText(`a${' '.repeat(1_000_000)}b`)).toHaveLength(256);
  });
});

test('causes are the refusals, for programs', () => {
  expect(causesOf(verdict({}, { severity: 'warn', message: 'soft' }, { path: ['spec', 'stages', 1] }))).toEqual([
    { reason: finding.rule, field: 'spec.stagedRolloutStrategyName', message: finding.message },
    { reason: finding.rule, field: 'spec.stages[1]', message: finding.message },
  ]);
});

describe('many findings', () => {
  const numbered = (index: number, fix: string, severity: 'deny' | 'warn' = 'deny'): Finding => ({
    rule: 'some-rule',
    severity,
    outcome: 'violated',
    path: ['spec', index],
    message: `fault ${String(index)}`,
    fix,
    retry: false,
  });
  const verdictWith = (findings: readonly Finding[]): Verdict => ({
    subject: { kind: 'MemberCluster', namespace: undefined, name: 'eu' },
    findings,
    failures: [],
    undetermined: [],
  });

  test('neighbours that one fix repairs share it', () => {
    expect(
      refusalText(verdictWith([numbered(1, 'Repair it.'), numbered(2, 'Repair it.'), numbered(3, 'Repair that.')])),
    ).toBe(
      [
        'refused by 1 rule: MemberCluster eu',
        '[some-rule] spec[1]: fault 1',
        '[some-rule] spec[2]: fault 2',
        '  Fix: Repair it.',
        '[some-rule] spec[3]: fault 3',
        '  Fix: Repair that.',
      ].join('\n'),
    );
  });

  test('thousands of them make a short answer', () => {
    const findings = Array.from({ length: 5_000 }, (_, index) => numbered(index, `Repair ${String(index)}.`));
    const text = refusalText(verdictWith(findings));
    expect(text.split('\n')).toHaveLength(1 + 2 * 20 + 1);
    expect(text).toMatch(/\.\.\. and 4980 more of the like$/);
    expect(causesOf(verdictWith(findings))).toHaveLength(100);
  });

  test('warnings stay below what the API server hands on, a plan and a diagnosis before them included', () => {
    const warnings = warningTexts(
      verdictWith(Array.from({ length: 40 }, (_, index) => numbered(index, 'Fix.', 'warn'))),
    );
    expect(warnings).toHaveLength(14);
    expect(warnings.at(-1)).toBe('... and 27 more warnings');
  });
});
