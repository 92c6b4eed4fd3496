import { evaluate } from '../src/engine/evaluate.js';
import { defaultPolicy } from '../src/engine/policy.js';
import { decode } from '../src/fleet/decode.js';
import { IndexedFleet } from '../src/fleet/indexed-fleet.js';
import { answerOf, type Review } from '../src/http/admission-review.js';
import { defaultLimits } from '../src/http/review-load.js';
import { withoutUnread } from '../src/hub/unread-parts.js';
import { Projection } from '../src/sources/live/projection.js';
import { readReview } from '../src/http/read-review.js';
import { mutate } from '../src/http/decide.js';
import { createMetrics } from '../src/http/metrics.js';
import { silentLog } from '../src/log.js';
import { catalogue } from '../src/rules/index.js';
import * as fleet from './large-fleet.js';
import { median, note, promise } from './promise.js';
import * as worst from './worst-cases.js';
import { besideManyRuns, longAgo, neighbours, rings } from './worst-neighbours.js';

/*
 * Nobody stalls the guard: the time from the bytes of a review to its parts, and from there to the verdict, for reviews
 * made to take long, against a fleet in which others have stored what is made to take long as well.
 */

const { bodyBytes } = defaultLimits;
const members = 2_000;
const promised = { read: 100, judged: 50 } as const;

function put(to: IndexedFleet, kind: string, json: unknown): void {
  const of = fleet.kindNamed(kind);
  to.put(of.family, decode(of, json).object);
}

/** A placement with every member, which has labels that no stage asks for, and a strategy of somebody else. */
function fleetWith(stages: readonly worst.Json[], labels: worst.Json): IndexedFleet {
  const world = new IndexedFleet('complete');
  const snapshot = fleet.policySnapshot(0) as { status: object };
  const names = worst.times(members, (index) => `member-${String(index)}`);
  put(world, 'ClusterResourcePlacement', fleet.placement(0));
  put(world, 'ClusterSchedulingPolicySnapshot', {
    ...snapshot,
    status: { ...snapshot.status, targetClusters: names.map((clusterName) => ({ clusterName, selected: true })) },
  });
  put(world, 'ClusterResourceSnapshot', fleet.resourceSnapshot(0));
  put(world, 'ClusterStagedUpdateStrategy', worst.strategy('hostile', stages));
  const [binding] = fleet.bindings(0) as { metadata: object; spec: object }[];
  for (const name of names) {
    put(world, 'MemberCluster', { ...fleet.memberCluster(0), ...worst.named(name, { labels }) });
    const metadata = { ...binding?.metadata, name: `b-${name}` };
    put(world, 'ClusterResourceBinding', { ...binding, metadata, spec: { ...binding?.spec, targetCluster: name } });
  }
  return world;
}

/** Milliseconds that the processor takes, which is what others wait; the first rounds warm the program up. */
function measure<T>(work: () => T): { readonly result: T; readonly milliseconds: number } {
  const all: number[] = [];
  let result = work();
  for (let round = 0; round < 6; round++) {
    const started = process.cpuUsage();
    result = work();
    const { user, system } = process.cpuUsage(started);
    if (round > 0) all.push((user + system) / 1000);
  }
  return { result, milliseconds: median(all) };
}

const highest = new Map<string, number>();

/** Reads and judges a review as a guard does; returns the answer in a word. */
function judge(family: string, what: string, asked: worst.Asked, world: IndexedFleet): void {
  const bytes = Buffer.from(JSON.stringify(worst.reviewOf(asked)));
  const read = measure(() => readReview({ bytes, isWhole: true }, bodyBytes));
  const judged = measure(() => (read.result.is === 'read' ? verdictOn(read.result.review, world) : 'refused unread'));
  for (const [name, { milliseconds }] of Object.entries({ read, judged })) {
    const key = `${family}, ${name}`;
    highest.set(key, Math.max(highest.get(key) ?? 0, milliseconds));
  }
  const size = `${(bytes.length / 1e6).toFixed(1)} MB`;
  const spent = `read ${read.milliseconds.toFixed(1)} ms, judged ${judged.milliseconds.toFixed(1)} ms`;
  note(`${family}: ${what} (${size})`, `${spent}; ${judged.result}`);
}

const deps = {
  judge: () => {
    throw new Error('nobody is asked');
  },
  policy: () => defaultPolicy,
  now: () => Date.now(),
  log: silentLog,
  metrics: createMetrics(),
};

function verdictOn(review: Review, world: IndexedFleet): string {
  if (review.subject === undefined) return 'not judged';
  const verdict = evaluate(review.subject.change, {
    rules: catalogue,
    fleet: world,
    policy: defaultPolicy,
    now: Date.now(),
  });
  mutate(review, deps);
  const { allowed } = answerOf(review, verdict, { retrySeconds: 3 });
  return `${allowed ? 'admitted' : 'refused'}, ${String(verdict.findings.length)} findings`;
}

const plain = fleetWith([], { ring: '1' });
for (const [what, stages] of Object.entries(worst.stages)) {
  const object = worst.strategy('x', stages);
  judge('strategy', what, { kind: 'ClusterStagedUpdateStrategy', operation: 'CREATE', object }, plain);
  judge(
    'strategy',
    `deletion: ${what}`,
    { kind: 'ClusterStagedUpdateStrategy', operation: 'DELETE', oldObject: object },
    plain,
  );
}
for (const [what, stages] of Object.entries(worst.stages)) {
  for (const [who, labels] of Object.entries({ strangers: { ring: '1' }, members: { k: 'a', k0: 'a', k1: 'z' } })) {
    const world = fleetWith(stages, labels);
    const spec = { placementName: 'placement-0', stagedRolloutStrategyName: 'hostile', state: 'Run' };
    const creation = {
      kind: 'ClusterStagedUpdateRun',
      operation: 'CREATE',
      object: { ...worst.named('x'), spec },
    } as const;
    judge('run', `of a stored strategy with ${what}, ${who}`, creation, world);
    const initialized = { object: worst.run(members, 'Run', stages), oldObject: worst.run(members, 'Stop', stages) };
    judge(
      'run',
      `initialized with ${what}, ${who}`,
      { kind: 'ClusterStagedUpdateRun', operation: 'UPDATE', ...initialized },
      world,
    );
  }
}
for (const [what, asked] of Object.entries(worst.reviews)) judge(asked.kind, what, asked, plain);

/** Runs of others that a member cluster may be in, each with a strategy as large as is judged. */
const crowded = fleetWith([], { ring: '1' });
const largest = worst.stages['as many values as are judged, all distinct'] ?? [];
for (const index of worst.times(200, (each) => each)) {
  put(crowded, 'ClusterStagedUpdateRun', { ...worst.run(20, 'Run', largest), ...worst.named(`run-${String(index)}`) });
}
const member = (labels: worst.Json): worst.Json => ({ ...worst.named('member-7', { labels }), spec: {} });
const relabelled = { kind: 'MemberCluster', operation: 'UPDATE', name: 'member-7' } as const;
judge(
  'member cluster',
  'relabelled beside 200 hostile runs',
  { ...relabelled, object: member({ ring: '2', k: 'x' }), oldObject: member({ ring: '1' }) },
  crowded,
);

/** A placement with as many runs as a tenant has the patience to create. */
for (const [which, { count, runOf }] of Object.entries(neighbours)) {
  const busy = fleetWith(rings, { ring: '1' });
  for (let index = 0; index < count; index++) {
    put(busy, 'ClusterStagedUpdateRun', { ...runOf(index), ...worst.named(`run-${String(index)}`, longAgo) });
  }
  for (const [what, asked] of Object.entries(besideManyRuns)) judge(`beside ${which}`, what, asked, busy);
}

/** Bytes that are hard to read, whatever they say. */
const texts: Readonly<Record<string, string>> = {
  'as many field names as are read': `[${worst.times(9_900, (i) => `{"k${String(i)}":1}`).join(',')}]`,
  'as many short texts as are read': `[${worst.times(99_900, (i) => `"v${String(i)}"`).join(',')}]`,
  'as many numbers as are read': `[${worst.times(219_000, String).join(',')}]`,
  'as many empty objects as are read': `[${worst.times(109_000, () => '{}').join(',')}]`,
  'as many levels as there can be': `${'['.repeat(219_000)}${']'.repeat(219_000)}`,
  '7 MB of small values': `[${'1,'.repeat(3_500_000)}1]`,
  '7 MB of escapes': `"${'\\u003c'.repeat(1_150_000)}"`,
  '7 MB of umlauts': `"${'ü'.repeat(3_500_000)}"`,
};
for (const [what, text] of Object.entries(texts)) {
  const review = JSON.stringify(
    worst.reviewOf({ kind: 'ClusterStagedUpdateStrategy', operation: 'CREATE', object: { spec: 'HERE' } }),
  );
  const bytes = Buffer.from(review.replace('"HERE"', text));
  const { milliseconds } = measure(() => readReview({ bytes, isWhole: true }, bodyBytes));
  highest.set('any bytes, read', Math.max(highest.get('any bytes, read') ?? 0, milliseconds));
  note(what, `${milliseconds.toFixed(1)} ms`);
}

/** Objects as large as can be stored, as a watch tells of them: who wrote them has no right but to write his own. */
for (const [what, object] of Object.entries(worst.stored)) {
  const line = JSON.stringify({ type: 'MODIFIED', object });
  const kind = fleet.kindNamed(String(object['kind']));
  const { milliseconds } = measure(() => {
    const event = JSON.parse(withoutUnread(line)) as { readonly object: unknown };
    return new Projection().keep(kind, event.object);
  });
  const key = 'stored objects, taken up';
  highest.set(key, Math.max(highest.get(key) ?? 0, milliseconds));
  note(`${what} (${(line.length / 1e6).toFixed(1)} MB)`, `${milliseconds.toFixed(1)} ms`);
}

for (const [what, milliseconds] of highest) {
  const atMost = what.endsWith('judged') ? promised.judged : promised.read;
  promise(`the longest of ${what}`, milliseconds, { atMost, unit: ' ms' });
}
