import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { loopbackPair } from '../test/e2e/harness/certificate.js';
import {
  checkAdmits,
  startForeign,
  startGuard,
  startPart,
  startPepr,
  startWebhook,
  type Contestant,
} from './edge/contestants.js';
import { writeFleet } from './edge/fleet.js';
import { checkH2load, send, type Amount, type Sent } from './edge/h2load.js';
import { buildGuard, buildWebhook, installPepr } from './edge/programs.js';
import { loads, type Load } from './edge/reviews.js';
import { serveBare, serveExpress, serveStore } from './edge/servers.js';
import { figure, isQuick, median, note, progress, promise } from './promise.js';

/*
 * What a review costs at the edge: TLS, HTTP/1.1, 32 connections, side by side in one run. Baseline is `node:https` that
 * parses a review and admits it. All are measured in turns, so that whatever else the machine does hits all of them; what
 * is promised are medians of ratios within a round.
 */

const rounds = isQuick ? 1 : 5;
const warmUp: Amount = { requests: isQuick ? 320 : 6_400 };
const amount: Amount = isQuick ? { requests: 640 } : { seconds: 1 };
const bare = 'bare node:https';
const guard = 'the guard';
const guardOfMany = 'the guard of 10,000';
/** Of the rounds of bare `node:https`. */
const atLeast: Readonly<Record<string, number>> = {
  'strategy create': 0.45,
  'run create': 0.2,
  'approval status': 0.35,
};
const growthAtMost = 1.5;
const coldStartAtMost = 500;

const [, , part, folderOfPart = ''] = process.argv;
if (part === 'bare') serveBare(folderOfPart);
else if (part === 'express') serveExpress(folderOfPart);
else if (part === 'store') serveStore();
else await measure();

async function measure(): Promise<void> {
  checkH2load();
  const scratch = mkdtempSync(join(tmpdir(), 'stageguard-edge-bench-'));
  const contestants: Contestant[] = [];
  try {
    const { cert, key } = await loopbackPair();
    writeFileSync(join(scratch, 'tls.crt'), cert);
    writeFileSync(join(scratch, 'tls.key'), key);
    const program = buildGuard(scratch);
    await coldStart(program, scratch);
    contestants.push(await startPart(bare, 'bare', scratch), await startPart('Express', 'express', scratch));
    for (const [name, count] of [
      [guard, 100],
      [guardOfMany, 10_000],
    ] as const) {
      const fleet = writeFleet(join(scratch, `fleet-${String(count)}`), count);
      contestants.push(await startGuard(name, { program, fleet, scratch }));
    }
    const foreign = await startForeign({
      'controller-runtime': {
        program: buildWebhook(),
        start: (path) => startWebhook('controller-runtime', path, scratch),
      },
      'Pepr 1.1.4': { program: installPepr(), start: (path) => startPepr('Pepr 1.1.4', path, scratch) },
    });
    contestants.push(...foreign.there);
    for (const [name, why] of foreign.leftOut) note(`${name} is left out`, why);
    for (const one of contestants) for (const { bodies } of loads) await checkAdmits(one, bodies[0] ?? '');
    for (const load of loads) tell(load, await measureLoad(load, contestants, scratch));
    for (const one of contestants) figure(`${one.name}, resident memory`, Math.round(one.megabytes()), ' MB');
  } finally {
    for (const one of contestants) one.stop();
    rmSync(scratch, { recursive: true, force: true });
  }
}

type Rounds = ReadonlyMap<string, readonly Sent[]>;

/** Each contestant in each round, in an order that turns; a round before the first warms all of them up. */
async function measureLoad(load: Load, contestants: readonly Contestant[], folder: string): Promise<Rounds> {
  const results = new Map<string, Sent[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (let index = 0; index < contestants.length; index++) {
      const one = contestants[(index + round) % contestants.length];
      if (one === undefined) continue;
      progress(`${load.name}: round ${String(round)} of ${String(rounds)}, ${one.name}`);
      const sent = await send({ url: one.url, load, amount: round === 0 ? warmUp : amount, folder });
      if (round > 0) results.get(one.name)?.push(sent);
    }
  }
  progress('');
  return results;
}

function tell({ name: what, kibibytes }: Load, results: Rounds): void {
  note(what, `${kibibytes.toFixed(1)} KiB`);
  const of = (name: string): readonly Sent[] => results.get(name) ?? [];
  const ratios = (one: string, other: string): readonly number[] =>
    of(one).map(({ perSecond }, round) => perSecond / (of(other)[round]?.perSecond ?? NaN));
  for (const [name, sent] of results) {
    figure(`${what}, ${name}`, Math.round(median(sent.map(({ perSecond }) => perSecond))), ' a second');
    figure(`${what}, ${name}, p99`, median(sent.map(({ p99 }) => p99)), ' ms');
    const ofBare = ratios(name, bare);
    if (name === bare) continue;
    const range = `${Math.min(...ofBare).toFixed(2)} to ${Math.max(...ofBare).toFixed(2)}`;
    note(`${what}, ${name}, range of ratios`, range);
    if (name === guard) promise(`${what}, ${name}, of bare`, median(ofBare), { atLeast: atLeast[what] ?? 0 });
    else figure(`${what}, ${name}, of bare`, median(ofBare));
  }
  promise(`${what}, growth from 100 to 10,000 runs, strategies and placements`, median(ratios(guard, guardOfMany)), {
    atMost: growthAtMost,
    unit: ' times',
  });
}

async function coldStart(program: string, scratch: string): Promise<void> {
  const times: number[] = [];
  for (let round = 0; round < (isQuick ? 1 : 7); round++) {
    progress(`cold start ${String(round + 1)}`);
    const one = await startGuard(guard, { program, fleet: resolve('examples/fleet'), scratch });
    times.push(one.readyMilliseconds);
    one.stop();
  }
  progress('');
  promise('cold start to ready, standalone', Math.round(median(times)), { atMost: coldStartAtMost, unit: ' ms' });
}
