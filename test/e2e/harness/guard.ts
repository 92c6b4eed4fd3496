import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { loopbackPair } from './certificate.js';
import { installFloor, installRights, installWebhooks, renderChart } from './chart.js';
import { eventually } from './eventually.js';
import { startGuardProcess } from './guard-process.js';
import { freePorts, type Hub } from './hub.js';
import { headOf, pathOf } from './paths.js';

const root = join(import.meta.dirname, '..', '..', '..');

/** One answer of the guard, as it logs it. */
export interface Decision {
  readonly endpoint: string;
  readonly kind: string;
  readonly object: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly user: string;
  readonly decision: string;
  readonly dryRun: boolean;
  readonly rules: readonly string[];
}

export interface Guard {
  readonly url: string;
  /** All it has answered so far. */
  decisions(): readonly Decision[];
  /** Its whole log. */
  log(): string;
  /** Its metrics as it serves them. */
  metrics(): Promise<string>;
  /** Ends it without warning. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

export interface GuardOptions {
  readonly hubAgentUsers?: readonly string[];
  /** What the chart is told. */
  readonly notServedKinds?: readonly string[];
  /** With the policies of the chart that hold without the guard. */
  readonly withFloor?: boolean;
  /** Content of the config file. */
  readonly config?: object;
  /** Where it listens; anywhere by default. */
  readonly port?: number;
  /** Whether it looks at its own webhook configurations, as the pods of the chart do. */
  readonly watchesWebhooks?: boolean;
  /** PEM of the CAs whose clients it answers. */
  readonly clientCa?: string;
}

/**
 * The program that we ship, as a process of its own, with the rights that we ship and nothing more, and asked through
 * the webhook configurations that we ship.
 */
export async function startGuard(hub: Hub, options: GuardOptions = {}): Promise<Guard> {
  const folder = mkdtempSync(join(hub.folder, 'guard-'));
  const program = await bundleIn(hub.folder);
  const pair = await loopbackPair();
  mkdirSync(join(folder, 'tls'));
  writeFileSync(join(folder, 'tls', 'tls.crt'), pair.cert);
  writeFileSync(join(folder, 'tls', 'tls.key'), pair.key);
  writeFileSync(join(folder, 'config.yaml'), JSON.stringify(options.config ?? {}));
  const [freePort = 0, metricsPort = 0] = await freePorts(2);
  const { port = freePort, clientCa } = options;
  if (clientCa !== undefined) writeFileSync(join(folder, 'client-ca.crt'), clientCa);
  const url = `https://127.0.0.1:${port}`;
  const chart = await renderChart(hub, { ...options, url, certificate: pair.cert });
  await installRights(hub, chart);
  const log = join(folder, 'guard.log');
  const flags = {
    config: join(folder, 'config.yaml'),
    'tls-dir': join(folder, 'tls'),
    drain: '0s',
    'drain-idle': '0s',
    ...(options.watchesWebhooks === true && { 'webhook-configuration': 'stageguard' }),
    ...(clientCa !== undefined && { 'client-ca': join(folder, 'client-ca.crt') }),
  };
  const process_ = startGuardProcess(hub, { program, ports: [port, metricsPort], log, flags });
  const agent = new Agent({ connect: { ca: pair.cert } });
  try {
    await eventually('the guard is ready', async () => {
      const death = process_.died();
      if (death !== undefined) throw new Error(death);
      return isReady(url, agent);
    });
  } catch (error) {
    await process_.stop();
    throw error;
  } finally {
    await agent.close();
  }
  await installWebhooks(hub, chart);
  if (options.withFloor === true) await installFloor(hub, chart);
  await eventually('the guard is asked', () => isAsked(hub));
  return {
    url,
    decisions: () => decisionsIn(readFileSync(log, 'utf8')),
    log: () => readFileSync(log, 'utf8'),
    metrics: async () => (await request(`http://127.0.0.1:${metricsPort}/metrics`)).body.text(),
    kill: () => process_.stop(),
    stop: () => process_.stop(5000),
  };
}

export async function bundleIn(folder: string): Promise<string> {
  const program = join(folder, 'stageguard.mjs');
  const build = spawn(process.execPath, [join(root, 'tools', 'build.mjs'), program], { stdio: 'inherit' });
  const [code] = (await once(build, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the build ended with ${code ?? 'a signal'}`);
  return program;
}

async function isReady(url: string, agent: Agent): Promise<true | undefined> {
  try {
    const answer = await request(`${url}/readyz`, { dispatcher: agent });
    await answer.body.dump();
    return answer.statusCode === 200 ? true : undefined;
  } catch {
    return undefined;
  }
}

/** A write that is always refused, sent as a dry run. */
export async function isAsked(hub: Hub): Promise<true | undefined> {
  const probe = { ...headOf('UpdateStrategy', undefined), metadata: { name: 'probe' }, spec: { stages: [] } };
  const answer = await hub.api('admin').create(`${pathOf('UpdateStrategy', undefined)}?dryRun=All`, probe);
  return answer.status === 403 ? true : undefined;
}

function decisionsIn(log: string): readonly Decision[] {
  return log
    .split('\n')
    .filter((line) => line.startsWith('{') && line.includes('"decided"'))
    .map((line) => JSON.parse(line) as Decision);
}
