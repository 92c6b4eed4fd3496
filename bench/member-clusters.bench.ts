import type { Change } from '../src/engine/change.js';
import { evaluate } from '../src/engine/evaluate.js';
import { defaultPolicy } from '../src/engine/policy.js';
import { decode } from '../src/fleet/decode.js';
import { kindIn, type KindOfFamily } from '../src/fleet/kinds.js';
import type { MemberCluster } from '../src/fleet/model.js';
import { catalogue } from '../src/rules/index.js';
import { watchedKinds } from '../src/hub/collection.js';
import { LiveCache } from '../src/sources/live/cache.js';
import * as fleet from './large-fleet.js';
import { median, note, promise } from './promise.js';

/** A thousand runs under way, one a placement, among ten thousand. */
const activeRuns = fleet.sizes.placements;

const cache = new LiveCache();
const put = (kind: string, json: unknown): void => {
  cache.sinkFor(fleet.kindNamed(kind)).put(json);
};
for (let i = 0; i < fleet.sizes.memberClusters; i++) put('MemberCluster', fleet.memberCluster(i));
for (let i = 0; i < fleet.sizes.placements; i++) {
  put('ClusterResourcePlacement', fleet.placement(i));
  put('ClusterSchedulingPolicySnapshot', fleet.policySnapshot(i));
}
for (let i = 0; i < fleet.sizes.runs; i++) {
  put('ClusterStagedUpdateRun', i < activeRuns ? fleet.activeRun(i) : fleet.run(i));
}
for (const kind of watchedKinds) {
  const keys = cache.all(kind.family).map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name}`);
  cache.sinkFor(kind).keepOnly(new Set(keys));
}

function member(index: number, labels: Readonly<Record<string, string>> = {}): MemberCluster {
  const kind = kindIn('MemberCluster', undefined) as KindOfFamily & { family: 'MemberCluster' };
  const { object } = decode(kind, fleet.memberCluster(index));
  return { ...object, metadata: { ...object.metadata, labels: { ...object.metadata.labels, ...labels } } };
}

function changeOf(before: MemberCluster | undefined, after: MemberCluster | undefined): Change {
  const operation = before === undefined ? 'CREATE' : after === undefined ? 'DELETE' : 'UPDATE';
  return {
    family: 'MemberCluster',
    operation,
    name: (after ?? before)?.metadata.name,
    namespace: undefined,
    subresource: undefined,
    requestVersion: 'v1beta1',
    user: 'bench',
    dryRun: false,
    ...(after && { object: after }),
    ...(before && { oldObject: before }),
  } as unknown as Change;
}

const changes: Readonly<Record<string, Change>> = {
  'a label that no stage asks for': changeOf(member(7), member(7, { team: 'x' })),
  'a move to another stage': changeOf(member(7), member(7, { ring: '2' })),
  'a cluster that leaves': changeOf(member(7), undefined),
  'a cluster that joins every placement': changeOf(undefined, member(fleet.sizes.memberClusters)),
};

for (const [what, change] of Object.entries(changes)) {
  const times: number[] = [];
  let findings = 0;
  for (let round = 0; round < 40; round++) {
    const started = process.cpuUsage();
    const verdict = evaluate(change, { rules: catalogue, fleet: cache, policy: defaultPolicy, now: Date.now() });
    if (round >= 10) times.push(process.cpuUsage(started).user / 1000);
    findings = verdict.findings.length;
  }
  note(what, `${String(findings)} warnings`);
  promise(`verdict on ${what}, ${String(activeRuns)} runs of 100 clusters under way`, median(times), {
    atMost: 30,
    unit: ' ms',
  });
}
