import { Router } from 'express';
import { HttpError } from './body.js';
import { contentSecurityPolicy, renderPage, type PageContent } from './page.js';

export interface StandaloneDeps {
  page(): PageContent;
  /** The JSON of an object as its file has it; `_` stands for cluster scope. */
  stored(plural: string, namespace: string, name: string): unknown;
}

/** What a guard without a cluster shows beside its answers: a page, and the objects it knows. Read-only. */
export function createStandalone(deps: StandaloneDeps): Router {
  const routes = Router();
  routes.get('/', (_, response) => {
    response.set('Content-Security-Policy', contentSecurityPolicy);
    response.set('X-Content-Type-Options', 'nosniff');
    response.set('Referrer-Policy', 'no-referrer');
    response.set('Cache-Control', 'no-store');
    response.type('html').send(renderPage(deps.page()));
  });
  routes.get('/fleet/:plural/:namespace/:name', ({ params: { plural, namespace, name } }, response) => {
    const object = deps.stored(plural, namespace, name);
    if (object === undefined) throw new HttpError(404, `the fleet holds no ${plural} ${JSON.stringify(name)}`);
    response.json(object);
  });
  return routes;
}
