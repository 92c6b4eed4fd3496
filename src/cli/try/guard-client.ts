import { request } from 'node:https';
import { GuardError } from '../../errors.js';

export interface GuardAddress {
  /** `https://127.0.0.1:8443` */
  readonly server: string;
  /** The certificates to trust, PEM. */
  readonly ca?: string;
}

export interface GuardAnswer {
  readonly status: number;
  readonly json: unknown;
}

const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Asks a running guard: GET without a body, else POST. Raises CLUSTER_* where none answers. */
export async function askGuard(address: GuardAddress, path: string, body?: unknown): Promise<GuardAnswer> {
  const url = urlOf(address.server, path);
  try {
    return await exchange(url, address.ca, body === undefined ? undefined : JSON.stringify(body));
  } catch (cause) {
    const hint = loopback.test(url.hostname) ? '; `npm start` starts one' : '';
    throw new GuardError('CLUSTER_UNREACHABLE', `no guard answers at ${address.server}${hint}`, { cause });
  }
}

function urlOf(server: string, path: string): URL {
  if (!/^https:\/\//.test(server) || !URL.canParse(path, server)) {
    throw new GuardError('INPUT_USAGE', `not an https address: ${server}`);
  }
  return new URL(path, server);
}

function exchange(url: URL, ca: string | undefined, body: string | undefined): Promise<GuardAnswer> {
  return new Promise((resolve, reject) => {
    const call = request(url, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { 'Content-Type': 'application/json' },
      timeout: 10_000,
      agent: false,
      // The pair of a guard on this machine is often one it made itself; nobody stands between.
      ...(ca === undefined ? { rejectUnauthorized: !loopback.test(url.hostname) } : { ca }),
    });
    call.on('timeout', () => call.destroy(new Error('no answer within 10 s')));
    call.on('error', reject);
    call.on('response', (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        try {
          resolve({ status: response.statusCode ?? 0, json: JSON.parse(Buffer.concat(chunks).toString()) as unknown });
        } catch (error) {
          reject(error instanceof Error ? error : new Error('the answer is not JSON'));
        }
      });
    });
    call.end(body);
  });
}
