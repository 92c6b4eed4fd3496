import { memberIn } from '../src/fleet/members-by-name.js';
import { planStages, type PlanInput } from '../src/fleet/plan.js';
import type { MemberCluster, Stage } from '../src/fleet/model.js';

/*
 * The plan of a run against the number of clusters, with as many stages as a strategy may have. The promise: time grows
 * no worse than n log n. The baseline of the same run is a sort of as many names, which is n log n by nature.
 */

const stages = 31;
const sizes = [100, 1_000, 10_000];
const rounds = 15;

/** Scatter on a busy machine; a plan that compared each cluster with each other would be off by a factor of 10. */
const tolerance = 2;

function input(clusters: number): PlanInput {
  const members = Array.from({ length: clusters }, (_, index): MemberCluster => {
    const name = `cluster-${String((index * 7919) % clusters).padStart(6, '0')}`;
    const labels = { ring: `r${String(index % stages)}`, order: String(index % 97), region: 'eu', env: 'prod' };
    const metadata = { name, labels, annotations: {}, finalizers: [] };
    return { apiVersion: '', kind: 'MemberCluster', metadata, spec: { taints: [] } };
  });
  const list = Array.from({ length: stages }, (_, index): Stage => ({
    name: `s${String(index)}`,
    labelSelector: {
      matchLabels: { env: 'prod' },
      matchExpressions: [{ key: 'ring', operator: 'In', values: [`r${String(index)}`] }],
    },
    sortingLabelKey: 'order',
    beforeStageTasks: [],
    afterStageTasks: [],
  }));
  return {
    stages: list,
    scheduled: members.map(({ metadata }) => metadata.name),
    toDelete: [],
    memberOf: memberIn(members),
  };
}

/** The median of several rounds, in milliseconds. */
function median(work: () => unknown): number {
  const times = Array.from({ length: rounds }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
}

const nLogN = (n: number): number => n * Math.log2(n);

const measured = sizes.map((size) => {
  const given = input(size);
  const names = given.scheduled;
  return { size, plan: median(() => planStages(given)), sort: median(() => names.toSorted()) };
});
let isKept = true;
for (const [index, { size, plan, sort }] of measured.entries()) {
  const previous = measured[index - 1];
  const growth = previous ? plan / previous.plan : undefined;
  const allowed = previous ? (nLogN(size) / nLogN(previous.size)) * tolerance : undefined;
  isKept &&= growth === undefined || allowed === undefined || growth <= allowed;
  const grown = growth === undefined ? '' : `, x${growth.toFixed(1)} (at most x${(allowed ?? 0).toFixed(1)})`;
  console.log(
    `${String(size).padStart(6)} clusters, ${String(stages)} stages: ${plan.toFixed(2)} ms, ` +
      `${(plan / sort).toFixed(1)} times a sort of their names${grown}`,
  );
}
process.exitCode = isKept ? 0 : 1;
