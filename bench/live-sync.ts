import { silentLog } from '../src/log.js';
import { openHub } from '../src/sources/live/connect.js';

/** What it took to know a fleet. */
export interface SyncCost {
  readonly seconds: number;
  readonly rss: number;
  readonly runs: number;
}

/** Syncs in this process, where nothing else is, and tells the parent what that took. */
export async function syncOnce(kubeconfig: string): Promise<void> {
  const started = performance.now();
  const hub = await openHub({ address: { kubeconfig }, log: silentLog });
  const seconds = (performance.now() - started) / 1000;
  const cost: SyncCost = { seconds, rss: process.memoryUsage().rss, runs: hub.all('UpdateRun').length };
  process.send?.(cost);
  await hub.close();
}
