import type { RequestListener, Server as HttpServer, ServerResponse } from 'node:http';
import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import { Socket, type AddressInfo } from 'node:net';
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises';
import { GuardError } from '../errors.js';
import type { TlsPair } from '../certificates/certificate.js';
import { Connections } from './connections.js';

export interface Listening {
  /** The address that it listens on. */
  readonly host: string;
  readonly port: number;
  /** Serves this pair to every connection from now on. */
  setPair(pair: TlsPair): void;
  /** Verifies the certificates of clients with these CAs from now on. */
  setClientCa(pem: string): void;
  /** Lets everything under way end, and ends. */
  drain(options?: DrainOptions): Promise<void>;
}

export interface DrainOptions {
  /** How long to go on answering: the time it takes until no one is sent here any more. */
  readonly graceMilliseconds?: number;
  /** How long after that clients have time to close the connections that they keep. */
  readonly idleMilliseconds?: number;
  /** Whether those clients may still have something to ask; where they do not, nobody waits for them. */
  readonly isAsked?: () => boolean;
  /** How long after that requests under way may take. */
  readonly hardMilliseconds?: number;
}

interface Address {
  /** Undefined for all addresses of the machine, those of IPv6 and of IPv4. */
  readonly host: string | undefined;
  readonly port: number;
}

interface HttpsAddress extends Address {
  /** CAs of the clients, PEM. Clients are then asked for a certificate; what comes of having none is for others to say. */
  readonly clientCa?: string;
  readonly mostConnections?: number;
  /** How long the head of a request may take to come. */
  readonly headersTimeout?: number;
}

/**
 * A Go client keeps an idle connection for 90 s; a server that closes it earlier loses the request that is just on its
 * way. The other limits are many times what a review takes, and end connections that only hold a place.
 */
const timeouts = {
  keepAliveTimeout: 95_000,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 1000,
};
const handshakeTimeout = 5000;

/** A Go client may keep a connection that it has never used, which Node takes for a request that is slow to come. */
const unusedMilliseconds = timeouts.keepAliveTimeout;

/** How often a draining server looks whether its clients have left. */
const lookMilliseconds = 100;

/** Serves HTTPS. HTTP/1.1 alone: that is what the API server speaks to webhooks. */
export async function listenHttps(app: RequestListener, pair: TlsPair, address: HttpsAddress): Promise<Listening> {
  let isDraining = false;
  let context: TlsPair & { ca?: string } = { ...pair, ...(address.clientCa !== undefined && { ca: address.clientCa }) };
  const { headersTimeout = timeouts.headersTimeout } = address;
  const clients = { requestCert: address.clientCa !== undefined, rejectUnauthorized: false };
  const unanswered = new Set<ServerResponse>();
  const connections = new Connections(address.mostConnections);
  const server = createHttps(
    { ...context, ...clients, ...timeouts, headersTimeout, handshakeTimeout },
    connections.watching((request, response) => {
      if (isDraining) sendElsewhere(response);
      unanswered.add(response);
      response.once('close', () => unanswered.delete(response));
      app(request, response);
    }),
  );
  connections.follow(server);
  // A socket that did not speak HTTP gets no answer: writing to a stalled handshake would keep it for ever.
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const isUnused = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && socket instanceof Socket && socket.bytesRead === 0;
    if (isUnused) socket.setTimeout(unusedMilliseconds, () => socket.destroy());
    else socket.destroy();
  });
  server.on('tlsClientError', (_, socket) => socket.destroy());
  const { address: host, port } = await listen(server, address);
  const use = (change: Partial<typeof context>): void => {
    const next = { ...context, ...change };
    // Raises where TLS cannot use it; what was there before stays then.
    server.setSecureContext(next);
    context = next;
  };
  return {
    host,
    port,
    setPair: use,
    setClientCa: (ca) => {
      use({ ca });
    },
    drain: async (options = {}) => {
      isDraining = true;
      unanswered.forEach(sendElsewhere);
      await sleep(options.graceMilliseconds ?? 0);
      await untilLeft(server, options);
      await close(server, options.hardMilliseconds ?? 10_000);
    },
  };
}

/** Whoever is answered during the drain is told to ask on another connection, and so of another guard, next time. */
function sendElsewhere(response: ServerResponse): void {
  if (!response.headersSent) response.setHeader('Connection', 'close');
}

/**
 * Waits until the clients have closed their connections. A server that closes an idle one may do so just when a request
 * is on its way, and Go does not send a POST again; so it is left to the client, which closes what it has not used for
 * 90 s. What is used before then is answered, and told to close.
 */
async function untilLeft(server: HttpServer, options: DrainOptions): Promise<void> {
  const { idleMilliseconds = 0, isAsked = () => true } = options;
  const end = performance.now() + idleMilliseconds;
  while (performance.now() < end && isAsked() && (await connectionsOf(server)) > 0) await sleep(lookMilliseconds);
}

function connectionsOf(server: HttpServer): Promise<number> {
  return new Promise((resolve) => {
    server.getConnections((_, count) => {
      resolve(count);
    });
  });
}

interface MetricsText {
  metrics(): Promise<string>;
  readonly contentType: string;
}

/** Serves the metrics as plain HTTP on a port of their own, so that a NetworkPolicy can tell the two apart. */
export async function listenMetrics(
  registry: MetricsText,
  address: Address,
): Promise<Pick<Listening, 'port' | 'drain'>> {
  const connections = new Connections();
  const text = sharedInATurn(() => registry.metrics());
  const listener: RequestListener = (request, response) => {
    const isAsked = request.method === 'GET' && request.url?.split('?')[0] === '/metrics';
    if (!isAsked) {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"only GET /metrics is here"}');
      return;
    }
    text().then(
      (metrics) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(metrics),
      () => response.writeHead(500).end(),
    );
  };
  const server = createHttp(timeouts, connections.watching(listener));
  connections.follow(server);
  server.on('clientError', (_, socket) => socket.destroy());
  const { port } = await listen(server, address);
  return {
    port,
    drain: async () => {
      await close(server, 1000);
    },
  };
}

/** Does some work once for all who ask for it in the same turn of the event loop, so that reviews get theirs in between. */
function sharedInATurn<T>(work: () => Promise<T>): () => Promise<T> {
  let current: Promise<T> | undefined;
  return () => {
    current ??= turn().then(() => {
      current = undefined;
      return work();
    });
    return current;
  };
}

async function listen(server: HttpServer, { host, port }: Address): Promise<AddressInfo> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'something else listens there already' : 'the system refuses';
      const where = `${host ?? ''}:${String(port)}`;
      reject(new GuardError('INPUT_USAGE', `cannot listen on ${where}: ${why}`, { cause }));
    });
    server.listen({ port, host }, resolve);
  });
  return server.address() as AddressInfo;
}

/** `close` alone waits for idle connections, which Go clients keep for a minute and a half. */
async function close(server: HttpServer, hardMilliseconds: number): Promise<void> {
  const closed = new Promise<void>((resolve) =>
    server.close(() => {
      resolve();
    }),
  );
  server.closeIdleConnections();
  const hard = setTimeout(() => {
    server.closeAllConnections();
  }, hardMilliseconds);
  await closed;
  clearTimeout(hard);
}
