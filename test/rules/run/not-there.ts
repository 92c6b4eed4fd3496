import { expect, test } from '@jest/globals';
import { evaluate } from '../../../src/engine/evaluate.js';
import { defaultPolicy } from '../../../src/engine/policy.js';
import type { Rule } from '../../../src/engine/rule.js';
import type { Family } from '../../../src/fleet/kinds.js';
import { creation, run, type Draft } from '../../support/builders.js';
import { unlistedFixes } from '../../support/printed-fixes.js';
import { testNow, type Expected } from '../../support/rule-tester.js';
import { changeIn, fleetIn, scopes, type Scope } from '../../support/scopes.js';

interface NotThere {
  readonly name: string;
  readonly path: string;
  readonly severity?: 'deny' | 'warn' | undefined;
  /** What is there instead, and is nearly called that. */
  readonly nearest?: string | undefined;
}

/** What is said of a run that names an object which does not exist. */
export function notThere(family: Family, { name, path, severity = 'deny', nearest }: NotThere) {
  return ({ kind, plural, flag, namespace }: Scope): readonly Expected[] => {
    const where = namespace === undefined ? '' : ` in namespace "${namespace}"`;
    const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
    return [
      {
        path,
        severity,
        message: `${kind(family)} "${name}" does not exist${where}${hint}`,
        fix: [
          `First create ${kind(family)} "${name}"${where}, then try again.`,
          `kubectl get ${plural(family)}${flag}`,
          '# If one tool applies both, make the run come last: kustomize with "sortOptions: {order: fifo}", Flux with a second',
          '# Kustomization that has dependsOn, Argo CD with a later sync wave, Helm with a post-install,post-upgrade hook.',
        ].join('\n'),
      },
    ];
  };
}

const [clusterScope, teamA] = scopes as [Scope, Scope];

/** What is said of a run in one scope where the draft is in the other. */
export function findingsAcross(rule: Rule, there: Draft, where: { readonly run: 'cluster' | 'namespace' }) {
  const [ofRun, other] = where.run === 'cluster' ? [clusterScope, teamA] : [teamA, clusterScope];
  const world = { rules: [rule], fleet: fleetIn(other, [there]), policy: defaultPolicy, now: testNow };
  return evaluate(changeIn(ofRun, creation(run('release'))), world).findings;
}

/** A run of a namespace finds nothing of cluster scope. */
export function testTellsOfClusterScope(
  rule: Rule,
  there: Draft,
  { kind, name }: { kind: Family; name: string },
): void {
  test('a run of a namespace is told of what is in cluster scope, which it cannot use', () => {
    const findings = findingsAcross(rule, there, { run: 'namespace' });
    expect(
      unlistedFixes(
        rule.id,
        findings.map(({ fix }) => fix),
      ),
    ).toEqual([]);
    expect(findings.map(({ message, fix }) => [message, fix])).toEqual([
      [
        `${teamA.kind(kind)} "${name}" does not exist in namespace "team-a"; there is a ${clusterScope.kind(kind)} "${name}", ` +
          'but a StagedUpdateRun can only use what is in its own namespace',
        `Make the run a ClusterStagedUpdateRun, or create ${teamA.kind(kind)} "${name}" in namespace "team-a" first and try again.\n` +
          `kubectl get ${teamA.plural(kind)} -n team-a\n` +
          '# If one tool applies both, make the run come last: kustomize with "sortOptions: {order: fifo}", Flux with a second\n' +
          '# Kustomization that has dependsOn, Argo CD with a later sync wave, Helm with a post-install,post-upgrade hook.',
      ],
    ]);
  });
}
