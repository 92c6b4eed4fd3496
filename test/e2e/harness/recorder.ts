import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { hooks } from '../../../src/http/hooks.js';
import { loopbackPair } from './certificate.js';

interface ReviewRequest {
  readonly uid: string;
  readonly operation: string;
  readonly resource: { readonly group: string; readonly resource: string };
  readonly subResource?: string;
  readonly userInfo: { readonly username: string };
}

/** Admits everything, and knows which webhook each question came through. */
export interface Recorder {
  readonly url: string;
  readonly certificate: string;
  /** The names of the webhooks asked since the last time, sorted. */
  taken(): readonly string[];
  stop(): Promise<void>;
}

export async function startRecorder(): Promise<Recorder> {
  const { cert, key } = await loopbackPair();
  let names: string[] = [];
  const server = createServer({ cert, key }, (request, response) => {
    void bodyOf(request).then((text) => {
      const { request: review } = JSON.parse(text) as { request: ReviewRequest };
      names.push(nameOf(new URL(request.url ?? '/', 'https://guard'), review));
      const answer = { uid: review.uid, allowed: true };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: answer }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
    certificate: cert,
    taken: () => {
      const taken = names.sort();
      names = [];
      return taken;
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** A review does not say through which webhook it comes; phase, resource, operation and deadline do. */
function nameOf({ pathname, searchParams }: URL, review: ReviewRequest): string {
  const seconds = Number.parseInt(searchParams.get('timeout') ?? '', 10);
  const found = hooks.filter(
    ({ phase, resources, timeoutSeconds }) =>
      pathname === `/${phase}` &&
      timeoutSeconds === seconds &&
      resources.some(
        ({ group, plural, operations, subresource }) =>
          group === review.resource.group &&
          plural === review.resource.resource &&
          (subresource ?? '') === (review.subResource ?? '') &&
          (operations as readonly string[]).includes(review.operation),
      ),
  );
  return found.map(({ name }) => name.replace('.stageguard.io', '')).join(' or ');
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
