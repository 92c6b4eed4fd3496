import type { IncomingMessage, ServerResponse } from 'node:http';
import { describe, GuardError } from '../errors.js';
import type { Log } from '../log.js';
import { HttpError } from './body.js';
import type { Metrics } from './metrics.js';

/** A request and where its answer goes. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers at once, in one piece. */
export function sendJson(response: ServerResponse, status: number, json: unknown): void {
  const text = JSON.stringify(json);
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) };
  response.writeHead(status, headers).end(text);
}

/** Every failure as JSON with its HTTP status; what the sender is not to blame for is logged, and never shown. */
export function answerError(
  error: unknown,
  { request, response }: Exchange,
  { log, metrics }: { readonly log: Log; readonly metrics: Metrics },
): void {
  // A sender that went away hears nothing, and the guard is not to blame.
  if (request.readableAborted || response.headersSent) {
    response.destroy();
    return;
  }
  const status = statusOf(error);
  const path = pathOf(request);
  metrics.failed(endpointOf(path), status);
  const reason = describe(error);
  if (status === 500) {
    log.error({ path, error: reason, stack: error instanceof Error ? error.stack : undefined }, 'a bug');
  } else if (status !== 404) {
    log.warn({ path, status, error: reason }, 'answered without a verdict');
  }
  sendJson(response, status, { error: status === 500 ? 'internal error' : reason });
}

function statusOf(error: unknown): number {
  if (error instanceof HttpError) return error.status;
  if (error instanceof GuardError) return error.code === 'INPUT_SHAPE' ? 400 : 500;
  // A path that cannot be decoded: express says so by a URIError.
  return error instanceof URIError ? 400 : 500;
}

/** What is asked for, without the query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** A label of a metric: paths come from anyone. */
function endpointOf(path: string): string {
  return path === '/validate' || path === '/mutate' ? path.slice(1) : 'other';
}
