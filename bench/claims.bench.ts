import { Claims } from '../src/claims/claim.js';
import { LeaseStore } from '../src/claims/lease-store.js';
import { SeenRuns } from '../src/claims/seen-runs.js';
import type { Change } from '../src/engine/change.js';
import { defaultPolicy } from '../src/engine/policy.js';
import type { Verdict } from '../src/engine/verdict.js';
import type { UpdateRun } from '../src/fleet/model.js';
import { createClaimingJudge, type ClaimingParts } from '../src/guard/claiming.js';
import type { HubCalls } from '../src/hub/hub.js';
import { silentLog } from '../src/log.js';

/*
 * What a claim adds to an admission. The promise, for one holder and a watch that has kept up: at most one read and one
 * write of the API server more than without. The calls are counted; the ratio is told by an API server that takes a
 * millisecond for each of them, four of which go out together for every start of a run, claimed or not.
 */

const callMilliseconds = 1;
const rounds = 300;
const promise = { reads: 1, writes: 1 };

const verdict: Verdict = {
  subject: { kind: 'ClusterStagedUpdateRun', namespace: undefined, name: 'release' },
  findings: [],
  failures: [],
  undetermined: [],
};
const counted = { reads: 0, writes: 0 };
const pause = () => new Promise((resolve) => setTimeout(resolve, callMilliseconds));

function run(uid: string, isOver: boolean): UpdateRun {
  const metadata = { name: uid, uid, labels: {}, annotations: {}, finalizers: [] };
  const spec = { placementName: 'shop', stagedRolloutStrategyName: 'rings', state: 'Run' } as const;
  const conditions = isOver ? [{ type: 'Succeeded', status: 'True' }] : [];
  return { apiVersion: '', kind: 'ClusterStagedUpdateRun', metadata, spec, status: { conditions } };
}

let version = 0;
const api: HubCalls = {
  async call({ method = 'GET', body }) {
    counted[method === 'GET' ? 'reads' : 'writes'] += 1;
    await pause();
    version += 1;
    const lease = body as { metadata: object };
    return { ...lease, metadata: { ...lease.metadata, uid: 'one', resourceVersion: String(version) } };
  },
};

const claims = new Claims({
  store: new LeaseStore({ api, namespace: 'own', settleSeconds: () => 60, now: () => performance.now() }),
  seen: new SeenRuns(),
  async readRun({ name }) {
    counted.reads += 1;
    await pause();
    return { is: 'known', value: run(name, true) };
  },
  knownRun: () => ({ is: 'absent' }),
  settings: () => ({ settleSeconds: 60, concurrency: 'exclusive' }),
});

const judgeWith = (concurrency: 'exclusive' | 'off'): ClaimingParts['judge'] =>
  createClaimingJudge({
    judge: async () => {
      await Promise.all([pause(), pause(), pause(), pause()]);
      return verdict;
    },
    claims,
    policy: () => ({ ...defaultPolicy, concurrency }),
    whenUnavailable: () => 'retry',
    elapsed: () => performance.now(),
    log: silentLog,
  });

/** Milliseconds of one admission, the median of many; every run takes the placement over from the one before. */
async function median(judge: ClaimingParts['judge'], prefix: string): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const name = `${prefix}-${round}`;
    const change = { family: 'UpdateRun', operation: 'CREATE', name, object: run(name, false), dryRun: false };
    const start = performance.now();
    await judge(change as unknown as Change, { deadline: performance.now() + 10_000 });
    times.push(performance.now() - start);
  }
  return times.sort((a, b) => a - b)[rounds / 2] ?? 0;
}

const unclaimed = await median(judgeWith('off'), 'unclaimed');
const before = { ...counted };
const claimed = await median(judgeWith('exclusive'), 'claimed');
const each = {
  reads: (counted.reads - before.reads) / rounds,
  writes: (counted.writes - before.writes) / rounds,
};
console.log(
  `unclaimed ${unclaimed.toFixed(2)} ms, claimed ${claimed.toFixed(2)} ms: ${(claimed / unclaimed).toFixed(2)} times; ` +
    `${each.reads.toFixed(2)} reads and ${each.writes.toFixed(2)} writes more (at most 1 and 1)`,
);
process.exitCode = each.reads <= promise.reads && each.writes <= promise.writes ? 0 : 1;
