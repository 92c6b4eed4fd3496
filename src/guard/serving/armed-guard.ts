import { hostOf } from '../../certificates/webhook-host.js';
import { isTrustedAt } from '../../http/caller-trust.js';
import type { Log } from '../../log.js';
import { Arming } from '../../hub/arming.js';
import type { ArmingNames } from '../../hub/arming-access.js';
import { Connection, type HubAddress } from '../../hub/connection.js';
import type { RunningGuard } from './listening-guard.js';

export interface ArmOptions {
  readonly hub: HubAddress;
  readonly names: ArmingNames;
  readonly log: Log;
}

/** A guard that puts its webhooks in force when it can answer, and out of force before it goes for good. */
export function armGuard(guard: RunningGuard, { hub: address, names, log }: ArmOptions): RunningGuard {
  const hub = new Connection(address);
  const isTrusted = (caBundle: string, client: unknown): Promise<boolean> => {
    const name = hostOf(client);
    return name === undefined ? Promise.resolve(false) : isTrustedAt(guard.url, caBundle, name);
  };
  const arming = new Arming({ hub, names, log, isTrusted });
  arming.start();
  return {
    url: guard.url,
    async stop() {
      await guard.stop({ isForGood: arming.leave() });
      await hub.close();
    },
  };
}
