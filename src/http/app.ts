import type { RequestListener } from 'node:http';
import express, { type Router } from 'express';
import { createAdmission, type Admission, type AdmissionDeps } from './admission.js';
import { answerError, pathOf } from './answer.js';
import { HttpError } from './body.js';
import type { Endpoint } from './decision-record.js';
import { createProbes, type Readiness } from './probes.js';

export interface AppDeps extends AdmissionDeps {
  readiness(): Readiness;
  /** Further pages, for whoever has something to show. */
  readonly pages?: Router;
}

const endpoints: Readonly<Record<string, Endpoint>> = { '/validate': 'validate', '/mutate': 'mutate' };

/**
 * The app that answers the API server. It never listens by itself. Reviews are in the way of every write, and to route
 * one takes Express longer than to judge it: they are answered before it sees them. All else is left to it.
 */
export function createApp(deps: AppDeps): RequestListener {
  const admission = createAdmission(deps);
  const others = createOthers(admission, deps);
  return (request, response) => {
    const endpoint = request.method === 'POST' ? endpoints[pathOf(request)] : undefined;
    if (endpoint === undefined) others(request, response);
    else void admission(endpoint, { request, response });
  };
}

function createOthers(admission: Admission, deps: AppDeps): RequestListener {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  const routes = createRoutes(admission, deps);
  app.use((request, response) => {
    // What no route has answered ends here, and so does what any of them throws.
    routes(request, response, (error?: unknown) => {
      answerError(error ?? new HttpError(404, 'there is nothing at this path'), { request, response }, deps);
    });
  });
  return app;
}

function createRoutes(admission: Admission, deps: AppDeps): Router {
  const routes = express.Router();
  for (const [path, endpoint] of Object.entries(endpoints)) {
    // In other spellings of the path, such as one with a slash at its end.
    routes.post(path, (request, response) => admission(endpoint, { request, response }));
    routes.all(path, (_, response) => {
      response.set('Allow', 'POST');
      throw new HttpError(405, 'reviews are sent by POST');
    });
  }
  routes.use(createProbes(() => deps.readiness()));
  if (deps.pages !== undefined) routes.use(deps.pages);
  return routes;
}
