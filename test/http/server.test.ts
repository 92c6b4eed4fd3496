import { once } from 'node:events';
import { mkdtemp, rename, rm, symlink, writeFile, mkdir } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { Agent } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { GuardError } from '../../src/errors.js';
import { createMetrics } from '../../src/http/metrics.js';
import { listenHttps, listenMetrics, type Listening } from '../../src/http/server.js';
import type { TlsPair } from '../../src/certificates/certificate.js';
import { selfSignedPair } from '../../src/certificates/issue.js';
import { readPair, watchPair } from '../../src/certificates/pair-folder.js';
import { startGuard } from '../support/guard.js';
import { until } from '../support/until.js';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'stageguard-'));
  cleanUps.push(() => rm(path, { recursive: true, force: true }));
  return path;
}

async function write(path: string, { cert, key }: TlsPair): Promise<void> {
  await Promise.all([writeFile(join(path, 'tls.crt'), cert), writeFile(join(path, 'tls.key'), key)]);
}

describe('the TLS pair', () => {
  test('made in memory is P-256 and good for this machine', async () => {
    const guard = await startGuard();
    cleanUps.push(() => guard.stop());
    const [host, port] = ['127.0.0.1', guard.listening.port];
    const socket = connect({ host, port, ca: guard.pair.cert });
    await new Promise((resolve) => socket.once('secureConnect', resolve));
    expect(socket.authorized).toBe(true);
    expect(socket.getPeerCertificate().asn1Curve).toBe('prime256v1');
    expect(socket.alpnProtocol).not.toBe('h2');
    socket.destroy();
  });

  test('is read from a folder', async () => {
    const path = await folder();
    const pair = await selfSignedPair();
    await write(path, pair);
    expect(await readPair(path)).toEqual(pair);
  });

  test('is refused when the key belongs to another certificate', async () => {
    const path = await folder();
    await write(path, { ...(await selfSignedPair()), key: (await selfSignedPair()).key });
    await expect(readPair(path)).rejects.toThrow(GuardError);
  });

  test('is refused when it is not there or is no PEM', async () => {
    const path = await folder();
    await expect(readPair(path)).rejects.toThrow(`cannot use the TLS pair in ${path}`);
    await write(path, { cert: 'x', key: 'y' });
    await expect(readPair(path)).rejects.toThrow(GuardError);
  });

  test('of a mounted Secret is followed when the Secret is rotated, and kept when the new one is broken', async () => {
    const path = await folder();
    const [first, second] = [await selfSignedPair(), await selfSignedPair()];
    const turn = async (name: string, pair: TlsPair): Promise<void> => {
      await mkdir(join(path, name));
      await write(join(path, name), pair);
      await symlink(name, join(path, '..data_tmp'));
      await rename(join(path, '..data_tmp'), join(path, '..data'));
    };
    await turn('..1', first);
    const seen: (TlsPair | 'error')[] = [];
    const end = watchPair(path, await readPair(path), {
      onPair: (pair) => seen.push(pair),
      onError: () => seen.push('error'),
      pollMilliseconds: 50,
    });
    cleanUps.push(end);
    await turn('..2', { cert: 'broken', key: 'broken' });
    await until(() => seen.length > 0);
    expect(seen[0]).toBe('error');
    await turn('..3', second);
    await until(() => seen.at(-1) !== 'error');
    expect(seen.at(-1)).toEqual(second);
  });

  test('can be swapped while serving', async () => {
    const guard = await startGuard();
    cleanUps.push(() => guard.stop());
    const next = await selfSignedPair();
    guard.listening.setPair(next);
    const url = `https://127.0.0.1:${String(guard.listening.port)}`;
    expect((await request(url).get('/healthz').ca(next.cert)).status).toBe(200);
    await expect(request(url).get('/healthz').ca(guard.pair.cert)).rejects.toThrow();
  });
});

describe('a connection', () => {
  test.each([
    ['that nothing was sent on is kept, as a Go client keeps it', '', 'open'],
    ['with half a request is closed', 'GET / HT', 'closed'],
  ])('%s', async (_, sent, expected) => {
    const pair = await selfSignedPair();
    const app = (_request: unknown, response: ServerResponse) => response.end('done');
    const listening = await listenHttps(app, pair, { host: '127.0.0.1', port: 0, headersTimeout: 100 });
    cleanUps.push(() => listening.drain({ hardMilliseconds: 0 }));
    const socket = connect({ host: '127.0.0.1', port: listening.port, ca: pair.cert, servername: 'localhost' });
    let state = 'open';
    socket.on('close', () => (state = 'closed')).on('error', () => undefined);
    socket.write(sent);
    // Node looks for slow requests once a second.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(state).toBe(expected);
    if (expected === 'closed') return;
    socket.write('GET / HTTP/1.1\r\nHost: guard\r\n\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    expect(answer.toString()).toContain('200 OK');
  });
});

describe('the drain', () => {
  /** A client that keeps its connections, as the API server does. */
  function keepingConnections({ port }: Listening, { cert }: TlsPair) {
    const kept = new Agent({ keepAlive: true, ca: cert });
    cleanUps.push(() => {
      kept.destroy();
    });
    const get = () =>
      request(`https://127.0.0.1:${String(port)}`)
        .get('/')
        .agent(kept);
    return { kept, get };
  }

  test('answers what is under way, tells clients to leave, and ends', async () => {
    const waiting: (() => void)[] = [];
    const pair = await selfSignedPair();
    const listening = await listenHttps((_, response) => waiting.push(() => response.end('done')), pair, {
      host: '127.0.0.1',
      port: 0,
    });
    const { get } = keepingConnections(listening, pair);
    const slow = get().then(({ text, headers }) => ({ text, connection: headers['connection'] as unknown }));
    await until(() => waiting.length === 1);
    const drained = listening.drain({ graceMilliseconds: 200 });
    const late = get().then(({ headers }) => headers['connection'] as unknown);
    await until(() => waiting.length === 2);
    for (const answer of waiting) answer();
    expect(await slow).toEqual({ text: 'done', connection: 'close' });
    expect(await late).toBe('close');
    await drained;
    await expect(get()).rejects.toThrow();
  });

  /** A connection that is kept and idle. */
  async function withIdleConnection() {
    const pair = await selfSignedPair();
    const listening = await listenHttps((_, response) => response.end('done'), pair, { host: '127.0.0.1', port: 0 });
    const { kept, get } = keepingConnections(listening, pair);
    await get();
    const idle = () => Object.values(kept.freeSockets).flat().length;
    await until(() => idle() === 1);
    return { listening, get, idle };
  }

  test('leaves an idle connection to its client, answers what still comes in on it, and ends when it is closed', async () => {
    const { listening, get, idle } = await withIdleConnection();
    let hasEnded = false;
    const drained = listening.drain({ idleMilliseconds: 60_000 }).then(() => {
      hasEnded = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect([idle(), hasEnded]).toEqual([1, false]);
    expect((await get()).headers['connection']).toBe('close');
    await drained;
    expect(idle()).toBe(0);
  });

  test.each([
    ['longer than it may', { idleMilliseconds: 200 }],
    ['where nobody asks any more', { idleMilliseconds: 60_000, isAsked: () => false }],
  ])('does not wait for idle connections %s', async (_, options) => {
    const { listening, idle } = await withIdleConnection();
    await listening.drain(options);
    await until(() => idle() === 0);
  });

  test('ends even when someone never finishes', async () => {
    const pair = await selfSignedPair();
    const listening = await listenHttps(() => undefined, pair, { host: '127.0.0.1', port: 0 });
    const hanging = request(`https://127.0.0.1:${String(listening.port)}`)
      .get('/')
      .ca(pair.cert);
    const ended = expect(hanging).rejects.toThrow();
    await new Promise((resolve) => setTimeout(resolve, 50));
    await listening.drain({ hardMilliseconds: 10 });
    await ended;
  });
});

test('a port that is taken is told plainly', async () => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => blocker.close());
  const { port } = blocker.address() as { port: number };
  await expect(listenHttps(() => undefined, await selfSignedPair(), { host: '127.0.0.1', port })).rejects.toThrow(
    `cannot listen on 127.0.0.1:${String(port)}: something else listens there already`,
  );
});

test('metrics are served on a port of their own, and nothing else is', async () => {
  const { registry } = createMetrics();
  const listening = await listenMetrics(registry, { host: '127.0.0.1', port: 0 });
  cleanUps.push(() => listening.drain());
  const agent = request(`http://127.0.0.1:${String(listening.port)}`);
  const { status, text } = await agent.get('/metrics');
  expect(status).toBe(200);
  expect(text).toContain('stageguard_build_info');
  expect((await agent.get('/validate')).status).toBe(404);
  expect((await agent.post('/metrics')).status).toBe(404);
});
