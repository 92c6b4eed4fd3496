import { Router } from 'express';

/** Whether reviews can be answered, and what is missing where not. */
export interface Readiness {
  readonly ready: boolean;
  readonly missing: readonly string[];
}

/** `/healthz`: the process answers. `/readyz`: it has all it needs to answer reviews. */
export function createProbes(readiness: () => Readiness): Router {
  const probes = Router();
  probes.get('/healthz', (_, response) => {
    response.json({ status: 'ok' });
  });
  probes.get('/readyz', (_, response) => {
    const { ready, missing } = readiness();
    response.status(ready ? 200 : 503).json({ status: ready ? 'ok' : 'not ready', missing });
  });
  return probes;
}
