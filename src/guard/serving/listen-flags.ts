import type { ObjectName, PairFlags } from '../../certificates/pair-source.js';

/** How a guard is reached: where, with which certificate, by whom, and how it takes its leave. */
export interface ListenFlags extends PairFlags {
  readonly host?: string;
  readonly port: number;
  readonly metricsPort: number;
  readonly tlsLife: number;
  readonly tlsCaLife: number;
  readonly arm?: ObjectName;
  readonly clientCa?: string;
  readonly clientNames?: readonly string[];
  readonly drain?: number;
  readonly drainIdle?: number;
  readonly drainLimit: number;
}
