import { totalmem } from 'node:os';
import { performance } from 'node:perf_hooks';
import { Counter, Gauge, type Registry } from 'prom-client';
import { described } from './metric-definitions.js';

/** How the process itself is; read when asked, so that a guard at rest does nothing for it. */
export function createProcessMetrics(registry: Registry): void {
  const registers = [registry];
  const startedAt = performance.timeOrigin / 1000;
  new Gauge({ ...described('stageguard_start_time_seconds'), registers }).set(startedAt);
  new Gauge({ ...described('stageguard_memory_limit_bytes'), registers }).set(memoryLimit());
  new Gauge({
    ...described('stageguard_memory_bytes'),
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Counter({
    ...described('stageguard_busy_seconds_total'),
    registers,
    collect() {
      this.reset();
      this.inc(performance.eventLoopUtilization().active / 1000);
    },
  });
}

/** Without a limit Node says 0, nothing, or more than any machine has: it depends on its version and on the kernel's. */
function memoryLimit(): number {
  const limit = (process.constrainedMemory() as number | undefined) ?? 0;
  return limit > 0 ? Math.min(limit, totalmem()) : totalmem();
}
