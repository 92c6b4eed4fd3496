import express, { type Express, type Request, type RequestHandler, type Response, type Router } from 'express';
import { describe, GuardError } from '../errors.js';
import { decodeReview, envelope, type Review } from './admission-review.js';
import { defaultLimits, HttpError, Load, readJson, type BodyLimits } from './body.js';
import { deadlineOf } from './deadline.js';
import { mutate, validate, type DecideDeps, type Decided } from './decide.js';
import { recordOf, type DecisionRecord, type Endpoint } from './decision-record.js';
import { createProbes, type Readiness } from './probes.js';

export interface AppDeps extends DecideDeps {
  readiness(): Readiness;
  /** Sees every decision, beside log and metrics. */
  onDecision?(record: DecisionRecord): void;
  /** Further pages, for whoever has something to show. */
  readonly pages?: Router;
  /** Why a caller gets no verdict; undefined where it gets one. */
  refusalOf?(request: Request): string | undefined;
  /** What is taken on, as it is set now. */
  limits?(): BodyLimits;
}

/** The app that answers the API server. It never listens by itself. */
export function createApp(deps: AppDeps): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', 'simple');
  const routes = createRoutes(deps);
  app.use((request, response) => {
    // What no route has answered ends here, and so does what any of them throws.
    routes(request, response, (error?: unknown) => {
      answerError(error ?? new HttpError(404, 'there is nothing at this path'), { request, response, deps });
    });
  });
  return app;
}

function createRoutes(deps: AppDeps): Router {
  const routes = express.Router();
  const limits = () => deps.limits?.() ?? defaultLimits;
  const load = new Load(limits);
  const endpoints: Record<Endpoint, EndpointOptions['decide']> = {
    validate: (review, deadline) => validate(review, deadline, deps),
    mutate: (review) => mutate(review, deps),
  };
  for (const endpoint of ['validate', 'mutate'] as const) {
    routes.post(`/${endpoint}`, answering({ endpoint, decide: endpoints[endpoint], load, limits }, deps));
    routes.all(`/${endpoint}`, (_, response) => {
      response.set('Allow', 'POST');
      throw new HttpError(405, 'reviews are sent by POST');
    });
  }
  routes.use(createProbes(() => deps.readiness()));
  if (deps.pages !== undefined) routes.use(deps.pages);
  return routes;
}

interface EndpointOptions {
  readonly endpoint: Endpoint;
  readonly decide: (review: Review, deadline: number) => Decided | Promise<Decided>;
  readonly load: Load;
  readonly limits: () => BodyLimits;
}

function answering({ endpoint, decide, load, limits }: EndpointOptions, deps: AppDeps): RequestHandler {
  return async (request, response) => {
    const at = deps.now();
    const started = performance.now();
    const refusal = deps.refusalOf?.(request);
    if (refusal !== undefined) throw new HttpError(401, refusal);
    if (load.isFull)
      throw new HttpError(503, 'too many reviews are under way; the failurePolicy of the webhook decides');
    const share = load.enter();
    response.once('close', () => {
      share.leave();
    });
    const review = decodeReview(await readJson(request, limits().bodyBytes, (bytes) => share.grow(bytes)));
    const note = ({ decision, rules }: Pick<Decided, 'decision' | 'rules'>): void => {
      const milliseconds = Math.round((performance.now() - started) * 100) / 100;
      report(recordOf(review, { at, endpoint, decision, rules, milliseconds }), deps);
    };
    try {
      const decided = await decide(review, deadlineOf(request.query['timeout'], at));
      response.json(envelope(decided.response));
      note(decided);
    } catch (error) {
      if (error instanceof HttpError) note({ decision: 'unavailable', rules: [] });
      throw error;
    }
  };
}

/** One line, one count and one entry a decision. */
function report(record: DecisionRecord, deps: AppDeps): void {
  const { uid, endpoint, kind, operation, subresource, user, dryRun, decision, rules, milliseconds: ms } = record;
  const object = record.namespace === undefined ? record.name : `${record.namespace}/${record.name}`;
  deps.metrics.decided(record);
  deps.onDecision?.(record);
  deps.log.info({ uid, endpoint, kind, object, operation, subresource, user, dryRun, decision, rules, ms }, 'decided');
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly deps: AppDeps;
}

/** Every failure as JSON with its HTTP status; what is not the sender's fault is logged, and never shown. */
function answerError(error: unknown, { request, response, deps: { log, metrics } }: Exchange): void {
  // A sender that went away hears nothing, and is no fault of the guard.
  if (request.readableAborted || response.headersSent) {
    response.destroy();
    return;
  }
  const status = statusOf(error);
  const { path } = request;
  metrics.failed(endpointOf(path), status);
  const reason = describe(error);
  if (status === 500) {
    log.error({ path, error: reason, stack: error instanceof Error ? error.stack : undefined }, 'a bug');
  } else if (status !== 404) {
    log.warn({ path, status, error: reason }, 'answered without a verdict');
  }
  response.status(status).json({ error: status === 500 ? 'internal error' : reason });
}

function statusOf(error: unknown): number {
  if (error instanceof HttpError) return error.status;
  if (error instanceof GuardError) return error.code === 'INPUT_SHAPE' ? 400 : 500;
  // A path that cannot be decoded: express says so by a URIError.
  return error instanceof URIError ? 400 : 500;
}

/** A label of a metric: paths come from anyone. */
function endpointOf(path: string): string {
  return path === '/validate' || path === '/mutate' ? path.slice(1) : 'other';
}
