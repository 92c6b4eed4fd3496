import { fork, spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { request as httpsRequest, type RequestOptions } from 'node:https';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Foreign } from './programs.js';

/** Somebody who answers reviews, in a process of its own. */
export interface Contestant {
  readonly name: string;
  /** Where reviews are sent. */
  readonly url: string;
  /** MB that it holds now; 0 where the system does not tell. */
  readonly megabytes: () => number;
  readonly stop: () => void;
}

/** A folder with `tls.crt` and `tls.key`, and room for files. */
export type Scratch = string;

/** A part of the bench itself, which tells its port. */
export async function startPart(name: string, part: string, scratch: Scratch): Promise<Contestant> {
  const child = fork(process.argv[1] ?? '', [part, scratch], { execArgv: [] });
  const { port } = await new Promise<{ port: number }>((resolve) => child.once('message', resolve));
  return contestant(name, `https://127.0.0.1:${String(port)}/validate?timeout=10s`, child);
}

/** A guard that knows its fleet from files, and how long it took until it was ready. */
export async function startGuard(
  name: string,
  { program, fleet, scratch }: { readonly program: string; readonly fleet: string; readonly scratch: Scratch },
): Promise<Contestant & { readonly readyMilliseconds: number }> {
  const args = ['--fleet', fleet, '--tls-dir', scratch, '--port', '0', '--metrics-port', '0'];
  const started = performance.now();
  const child = spawn(process.execPath, [program, 'serve', ...args], { stdio: ['ignore', 'pipe', 'ignore'] });
  const url = await saidUrl(child);
  while ((await statusOf(`${url}/readyz`, {})) !== 200) await sleep(1);
  const readyMilliseconds = performance.now() - started;
  return { ...contestant(name, `${url}/validate?timeout=10s`, child), readyMilliseconds };
}

export async function startWebhook(name: string, program: string, scratch: Scratch): Promise<Contestant> {
  const args = ['-certificate', join(scratch, 'tls.crt'), '-key', join(scratch, 'tls.key')];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  return contestant(name, `${await saidUrl(child)}/validate?timeout=10s`, child);
}

export async function startPepr(name: string, module: string, scratch: Scratch): Promise<Contestant> {
  const api = fork(process.argv[1] ?? '', ['store'], { execArgv: [] });
  const { port: apiPort } = await new Promise<{ port: number }>((resolve) => api.once('message', resolve));
  const kubeconfig = join(scratch, 'kubeconfig.json');
  const server = `http://127.0.0.1:${String(apiPort)}`;
  const cluster = { server, 'insecure-skip-tls-verify': true };
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'bench',
      clusters: [{ name: 'bench', cluster }],
      users: [{ name: 'bench', user: { token: 'bench' } }],
      contexts: [{ name: 'bench', context: { cluster: 'bench', user: 'bench' } }],
    }),
  );
  const port = await freePort();
  const env = {
    ...process.env,
    NODE_ENV: 'production',
    KUBECONFIG: kubeconfig,
    PEPR_API_PATH: 'bench',
    SSL_CERT_PATH: join(scratch, 'tls.crt'),
    SSL_KEY_PATH: join(scratch, 'tls.key'),
  };
  const child = spawn(process.execPath, [module, String(port)], { stdio: 'ignore', env });
  const pepr = contestant(name, `https://127.0.0.1:${String(port)}/validate/bench`, child);
  const stop = (): void => {
    pepr.stop();
    api.kill('SIGKILL');
  };
  return { ...pepr, stop };
}

/** Those that can be had, and why the others are left out. */
export async function startForeign(
  foreign: Readonly<
    Record<string, { readonly program: Foreign; readonly start: (path: string) => Promise<Contestant> }>
  >,
): Promise<{ readonly there: readonly Contestant[]; readonly leftOut: readonly (readonly [string, string])[] }> {
  const there: Contestant[] = [];
  const leftOut: (readonly [string, string])[] = [];
  for (const [name, { program, start }] of Object.entries(foreign)) {
    if ('leftOut' in program) leftOut.push([name, program.leftOut]);
    else there.push(await start(program.path));
  }
  return { there, leftOut };
}

/** Waits until a review is answered, and raises what is wrong where it is not admitted. */
export async function checkAdmits({ name, url }: Contestant, body: string): Promise<void> {
  const deadline = performance.now() + 15_000;
  for (;;) {
    const text = await answerTo(url, body).catch(() => '');
    if (text.includes('"allowed":true')) return;
    if (performance.now() > deadline) throw new Error(`${name} does not admit: ${text}`);
    await sleep(100);
  }
}

function contestant(name: string, url: string, child: ChildProcess): Contestant {
  return { name, url, megabytes: () => residentOf(child), stop: () => child.kill('SIGKILL') };
}

/** The kernel's own count. */
export function residentOf({ pid }: ChildProcess, field: 'VmRSS' | 'VmHWM' = 'VmRSS'): number {
  try {
    const status = readFileSync(`/proc/${String(pid)}/status`, 'utf8');
    return Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Programs say on standard output where they listen. */
async function saidUrl(child: ChildProcess): Promise<string> {
  let said = '';
  for await (const text of child.stdout ?? []) {
    said += String(text);
    const [url] = /https:\S+/.exec(said) ?? [];
    if (url !== undefined && said.endsWith('\n')) return url;
  }
  throw new Error(`a program ended before it listened: ${said}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function answerTo(url: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const request = httpsRequest(url, { method: 'POST', headers, rejectUnauthorized: false }, (response) => {
      let text = '';
      response.on('data', (chunk) => (text += String(chunk)));
      response.on('end', () => {
        resolve(text);
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}

function statusOf(url: string, options: RequestOptions): Promise<number> {
  return new Promise((resolve) => {
    const request = httpsRequest(url, { ...options, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    request.on('error', () => {
      resolve(0);
    });
    request.end();
  });
}
