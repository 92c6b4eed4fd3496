import { afterAll, beforeAll } from '@jest/globals';
import { startHub, type Hub, type HubOptions } from './hub.js';

/** A hub for the tests of one file, or of one `describe`. */
export function useHub(options: HubOptions = {}): () => Hub {
  let hub: Hub | undefined;
  beforeAll(async () => {
    hub = await startHub(options);
  }, 120_000);
  afterAll(() => hub?.stop());
  return () => {
    if (hub === undefined) throw new Error('the hub did not start');
    return hub;
  };
}
