import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quantile } from '../promise.js';
import type { Load } from './reviews.js';

const connections = 32;

export interface Sent {
  readonly perSecond: number;
  /** Milliseconds that 99 of 100 did not exceed. */
  readonly p99: number;
}

/** For how long, in whole seconds (h2load never ends where it is given less), or how many requests. */
export type Amount = { readonly seconds: number } | { readonly requests: number };

export interface LoadOptions {
  readonly url: string;
  readonly load: Load;
  readonly amount: Amount;
  readonly folder: string;
}

/** Raises what to install where the load generator is missing. */
export function checkH2load(): void {
  if (spawnSync('h2load', ['--version']).error === undefined) return;
  throw new Error('h2load is missing: apt-get install nghttp2-client (Debian, Ubuntu), brew install nghttp2 (macOS)');
}

/** Sends one load over 32 connections: one h2load where all bodies are equal, else one for each body at the same time. */
export async function send({ url, load, amount, folder }: LoadOptions): Promise<Sent> {
  const sent = await Promise.all(
    load.bodies.map(async (body, index) => {
      const file = join(folder, `body-${String(index)}.json`);
      writeFileSync(file, body);
      return sendOne({ url, file, amount, share: load.bodies.length });
    }),
  );
  return {
    perSecond: sent.reduce((sum, { perSecond }) => sum + perSecond, 0),
    p99: quantile(
      sent.flatMap(({ times }) => times),
      0.99,
    ),
  };
}

interface One {
  readonly url: string;
  readonly file: string;
  readonly amount: Amount;
  /** How many send at the same time. */
  readonly share: number;
}

async function sendOne({ url, file, amount, share }: One): Promise<{ perSecond: number; times: number[] }> {
  const log = `${file}.log`;
  const much = 'seconds' in amount ? ['-D', String(amount.seconds)] : ['-n', String(amount.requests / share)];
  const args = ['--h1', '-t', '1', '-c', String(connections / share), ...much, '-d', file, `--log-file=${log}`];
  const { code, output } = await run([...args, '-H', 'content-type: application/json', url]);
  const [, total, failed] = /(\d+) total, .* (\d+) failed/.exec(output) ?? [];
  const [, ok = '0'] = /status codes: (\d+) 2xx/.exec(output) ?? [];
  const [, perSecond = '0'] = /([\d.]+) req\/s/.exec(output) ?? [];
  if (code !== 0 || total === undefined || failed !== '0' || Number(ok) === 0) {
    throw new Error(`h2load was not answered by ${url}:\n${output}`);
  }
  // Start, status and microseconds, in columns.
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  rmSync(log);
  return { perSecond: Number(perSecond), times: lines.map((line) => Number(line.split('\t')[2]) / 1000) };
}

function run(args: readonly string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve, reject) => {
    const child = spawn('h2load', args, { stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    child.stdout.on('data', (text) => (output += String(text)));
    child.stderr.on('data', (text) => (output += String(text)));
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, output });
    });
  });
}
