import type { Hub } from './hub.js';
import { startLeashed, type Leashed } from './leash.js';

export type Flags = Readonly<Record<string, string>>;

export interface GuardProcess {
  /** The bundle, as `bundleIn` makes it. */
  readonly program: string;
  /** Of the webhooks, and of the metrics. */
  readonly ports: readonly [port: number, metricsPort: number];
  readonly log: string;
  readonly flags: Flags;
  /** For Node itself. */
  readonly nodeOptions?: readonly string[];
}

/** Starts a guard as a process of its own, with the rights of the guard and no others. */
export function startGuardProcess(hub: Hub, { program, ports, log, flags, nodeOptions = [] }: GuardProcess): Leashed {
  const [port, metricsPort] = ports.map(String) as [string, string];
  const all = { kubeconfig: hub.kubeconfig('guard'), host: '127.0.0.1', port, 'metrics-port': metricsPort, ...flags };
  const args = Object.entries(all).map(([name, value]) => `--${name}=${value}`);
  return startLeashed(process.execPath, [...nodeOptions, program, 'serve', ...args], { log });
}
