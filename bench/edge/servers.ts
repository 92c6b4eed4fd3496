import { createServer as createHttp } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { readFileSync } from 'node:fs';
import express, { json } from 'express';

/** Tells the parent where a server listens, once it does. */
function tellWhere(server: Server): void {
  server.listen(0, '127.0.0.1', () => {
    process.send?.({ port: (server.address() as AddressInfo).port });
  });
}

function pairIn(folder: string): { readonly cert: Buffer; readonly key: Buffer } {
  return { cert: readFileSync(`${folder}/tls.crt`), key: readFileSync(`${folder}/tls.key`) };
}

interface Review {
  readonly request: { readonly uid: string };
}

function admission({ request: { uid } }: Review): object {
  return { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } };
}

/** The least there can be: the body is parsed, and the answer written. */
export function serveBare(folder: string): void {
  const server = createHttps(pairIn(folder), (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = JSON.stringify(admission(JSON.parse(Buffer.concat(chunks).toString()) as Review));
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
      response.end(text);
    });
  });
  tellWhere(server);
}

export function serveExpress(folder: string): void {
  const app = express();
  app.use(json({ limit: '7mb' }));
  app.post('/validate', (request, response) => {
    response.json(admission(request.body as Review));
  });
  tellWhere(createHttps(pairIn(folder), app));
}

/** As much of an API as Pepr asks for: it keeps its state in an object of its own, and watches it. */
export function serveStore(): void {
  const store = (name: string): object => ({
    apiVersion: 'pepr.dev/v1',
    kind: 'PeprStore',
    metadata: { name, namespace: 'pepr-system', uid: name, resourceVersion: '1' },
    data: {},
  });
  const server = createHttp((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const name = searchParams.get('fieldSelector')?.split('=')[1] ?? pathname.split('/').at(-1) ?? '';
    response.writeHead(200, { 'Content-Type': 'application/json' });
    if (searchParams.has('watch')) response.write(`${JSON.stringify({ type: 'ADDED', object: store(name) })}\n`);
    else response.end(JSON.stringify({ ...store(name), items: [store(name)] }));
  });
  tellWhere(server);
}
