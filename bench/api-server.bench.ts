import './api-server/programs.js';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loopbackPair } from '../test/e2e/harness/certificate.js';
import { startGuard, type Guard } from '../test/e2e/harness/guard.js';
import { startHub, type Hub } from '../test/e2e/harness/hub.js';
import { inParallel, makeFleet, storeAll } from './api-server/hub-fleet.js';
import { divideWebhooks, installPolicies, ways, type Way } from './api-server/ways.js';
import { writesOf, type Writes } from './api-server/writes.js';
import { startWebhook } from './edge/contestants.js';
import { buildWebhook } from './edge/programs.js';
import * as fleet from './large-fleet.js';
import { figure, isQuick, median, note, progress, promise, quantile } from './promise.js';

/*
 * What a user waits for at a real API server: writes that meet nothing on their way, policies, a webhook of
 * controller-runtime that admits everything, and the guard, in turns. All connections are direct. The webhook that does
 * nothing stands behind copies of the guard's own hooks, so that it is asked as often. Needs the programs of the end-to-end
 * suite (tools/kube/build.sh).
 */

const rounds = isQuick ? 1 : 5;
const size = isQuick ? { placements: 7, clustersOfPlacement: 20 } : { placements: 100, clustersOfPlacement: 100 };
/** In each round and way, one after the other; and as many again, several at a time. */
const writesInRound = isQuick ? 3 : 25;
const lanes = 8;
const atMost = 1.5;

const scratch = mkdtempSync(join(tmpdir(), 'stageguard-api-bench-'));
const started = await startHub();
try {
  await measure(started);
} finally {
  await started.stop();
  rmSync(scratch, { recursive: true, force: true });
}

async function measure(hub: Hub): Promise<void> {
  const admin = hub.api('admin');
  await makeFleet(admin, size);
  const waiting = waitingRun();
  await storeAll(admin, 'UpdateRun', [waiting.object]);
  const guard = await startGuard(hub);
  const other = await startOther();
  try {
    await divideWebhooks(admin, other);
    await installPolicies(admin);
    const present = ways.filter((way) => way !== 'controller-runtime' || other !== undefined);
    for (const writes of writesOf(hub.api('alice'), hub.api('hubAgent'), waiting.name)) await compare(writes, present);
    await tellReads(guard);
  } finally {
    other?.stop();
    await guard.stop();
  }
}

/** On the placement that no run is created for. */
function waitingRun(): { readonly name: string; readonly object: Readonly<Record<string, unknown>> } {
  const run = fleet.activeRun(size.placements - 1);
  return { name: `run-${String(size.placements - 1)}`, object: run };
}

async function startOther(): Promise<{ url: string; certificate: string; stop(): void } | undefined> {
  const webhook = buildWebhook();
  if ('leftOut' in webhook) {
    note('controller-runtime is left out', webhook.leftOut);
    return undefined;
  }
  const { cert, key } = await loopbackPair();
  const certificate = join(scratch, 'tls.crt');
  writeFileSync(certificate, cert);
  writeFileSync(join(scratch, 'tls.key'), key);
  return { ...(await startWebhook('controller-runtime', webhook.path, scratch)), certificate };
}

interface Measured {
  /** Milliseconds of each write, round by round. */
  readonly times: readonly (readonly number[])[];
  readonly perSecond: readonly number[];
}

async function compare(writes: Writes, present: readonly Way[]): Promise<void> {
  const times = new Map(present.map((way) => [way, [] as number[][]]));
  const perSecond = new Map(present.map((way) => [way, [] as number[]]));
  for (let round = 0; round <= rounds; round++) {
    for (let index = 0; index < present.length; index++) {
      const way = present[(index + round) % present.length];
      if (way === undefined) continue;
      progress(`${writes.name}: round ${String(round)} of ${String(rounds)}, ${way}`);
      const measured = await oneRound(writes, way, round);
      // The first warms all of them up.
      if (round === 0) continue;
      times.get(way)?.push(measured.times);
      perSecond.get(way)?.push(measured.perSecond);
    }
  }
  progress('');
  tell(
    writes.name,
    new Map(present.map((way) => [way, { times: times.get(way) ?? [], perSecond: perSecond.get(way) ?? [] }])),
  );
}

async function oneRound(writes: Writes, way: Way, round: number): Promise<{ times: number[]; perSecond: number }> {
  const prefix = `${writes.name}-${way}-${String(round)}`.replaceAll(' ', '-');
  const names = Array.from({ length: 2 * writesInRound }, (_, index) => `${prefix}-${String(index)}`);
  await writes.prepare(way, names);
  const times: number[] = [];
  const send = async (name: string, index: number): Promise<void> => {
    const { status, body } = await writes.send(way, name, index);
    if (status >= 300) throw new Error(`${name} was answered ${String(status)}: ${String(body['message'])}`);
  };
  for (const [index, name] of names.slice(0, writesInRound).entries()) {
    const started = performance.now();
    await send(name, index);
    times.push(performance.now() - started);
  }
  const started = performance.now();
  await inParallel(names.slice(writesInRound), (name, index) => send(name, writesInRound + index), lanes);
  const perSecond = writesInRound / ((performance.now() - started) / 1000);
  await writes.tidy(names);
  return { times, perSecond };
}

function tell(what: string, measured: ReadonlyMap<Way, Measured>): void {
  const p50s = (way: Way): readonly number[] => measured.get(way)?.times.map(median) ?? [];
  const bare = p50s('nothing');
  const added = (way: Way): number => median(p50s(way).map((time, round) => time - (bare[round] ?? NaN)));
  for (const [way, { times, perSecond }] of measured) {
    figure(`${what}, ${way}, p50`, median(times.flat()), ' ms');
    figure(`${what}, ${way}, p99`, quantile(times.flat(), 0.99), ' ms');
    figure(`${what}, ${way}, ${String(lanes)} at a time`, Math.round(median(perSecond)), ' a second');
    if (way !== 'nothing') figure(`${what}, ${way}, added`, added(way), ' ms');
  }
  if (what === 'run create' || !measured.has('controller-runtime')) return;
  promise(
    `${what}, added by the guard, by what controller-runtime adds`,
    added('the guard') / added('controller-runtime'),
    {
      atMost,
      unit: ' times',
    },
  );
}

/** What the guard itself says of its reads and claims. */
async function tellReads(guard: Guard): Promise<void> {
  const sums = new Map<string, { seconds: number; count: number }>();
  const line = /^stageguard_(live_read|claim)_seconds_(sum|count)(\{[^}]*\})? (\S+)$/gm;
  for (const [, what, part, labels = '', value] of (await guard.metrics()).matchAll(line)) {
    const key = `${String(what).replace('_', ' ')} ${labels}`;
    const one = sums.get(key) ?? { seconds: 0, count: 0 };
    one[part === 'sum' ? 'seconds' : 'count'] += Number(value);
    sums.set(key, one);
  }
  for (const [what, { seconds, count }] of sums) figure(`${what}, mean`, (1000 * seconds) / count, ' ms');
}
