import { afterEach, beforeEach } from '@jest/globals';
import { ScriptedApi } from './scripted-api.js';

/** A hub of its own for each test of the file or block, with these objects. */
export function useScriptedHub(items: readonly object[]): () => ScriptedApi {
  let api: ScriptedApi;
  beforeEach(async () => {
    api = await ScriptedApi.start();
    for (const item of items) api.put(item as Parameters<ScriptedApi['put']>[0]);
  });
  afterEach(async () => {
    await api.stop();
  });
  return () => api;
}
