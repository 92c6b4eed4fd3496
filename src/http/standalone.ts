import { Router } from 'express';
import { HttpError } from './body.js';
import { contentSecurityPolicy, renderPage, type PageContent } from './page.js';

export interface StandaloneDeps {
  page(): PageContent;
  /** The JSON of an object as its file has it; undefined where there is none. */
  stored(where: { readonly plural: string; readonly namespace: string | undefined; readonly name: string }): unknown;
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
    // An underscore stands for cluster scope: no namespace can have that name.
    const object = deps.stored({ plural, namespace: namespace === '_' ? undefined : namespace, name });
    if (object === undefined) throw new HttpError(404, `the fleet holds no ${plural} ${JSON.stringify(name)}`);
    response.json(object);
  });
  return routes;
}
