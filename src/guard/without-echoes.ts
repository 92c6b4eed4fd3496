import { severityRank } from '../engine/rule.js';
import type { Finding } from '../engine/verdict.js';
import type { ObjectKey } from '../fleet/state.js';
import type { Judged } from './judge-together.js';

/**
 * Leaves out what is told of the run where its strategy stands beside it and is told of the same: what makes a strategy
 * one that KubeFleet cannot run is a finding at the strategy itself, where it can be put right.
 */
export function withoutEchoes(judged: readonly Judged[]): readonly Judged[] {
  const gravest = new Map<string, number>();
  for (const { change, verdict } of judged) {
    if (change.family === 'UpdateStrategy') gravest.set(keyOf(change), gravestOf(verdict.findings));
  }
  if (gravest.size === 0) return judged;
  return judged.map((one) => {
    const { change, verdict } = one;
    if (change.family !== 'UpdateRun' || change.operation === 'DELETE') return one;
    const name = change.object.spec.stagedRolloutStrategyName;
    const told = gravest.get(keyOf({ name, namespace: change.namespace })) ?? Infinity;
    const isEcho = ({ rule, severity, outcome }: Finding): boolean =>
      rule === 'run-strategy-valid' && outcome === 'violated' && told <= severityRank[severity];
    return { ...one, verdict: { ...verdict, findings: verdict.findings.filter((finding) => !isEcho(finding)) } };
  });
}

function gravestOf(findings: readonly Finding[]): number {
  return Math.min(Infinity, ...findings.map(({ severity }) => severityRank[severity]));
}

function keyOf({ name, namespace }: ObjectKey): string {
  return `${namespace ?? ''}/${name}`;
}
