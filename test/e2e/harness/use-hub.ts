import { afterAll, beforeAll } from '@jest/globals';
import { startHub, type Hub, type HubOptions } from './hub.js';

export interface UsedHubOptions extends HubOptions {
  /** The tests uninstall a guard, which may ask for a moment longer than it has its rights. */
  readonly losesRights?: boolean;
}

/** A hub for the tests of one file, or of one `describe`. Every guard on it must have had all rights it asked for. */
export function useHub({ losesRights = false, ...options }: UsedHubOptions = {}): () => Hub {
  let hub: Hub | undefined;
  beforeAll(async () => {
    hub = await startHub(options);
  }, 120_000);
  afterAll(async () => {
    const lacking = losesRights ? [] : (hub?.forbidden() ?? []);
    await hub?.stop();
    if (lacking.length > 0) throw new Error(`the guard lacks the right to ${lacking.join(', to ')}`);
  });
  return () => {
    if (hub === undefined) throw new Error('the hub did not start');
    return hub;
  };
}
