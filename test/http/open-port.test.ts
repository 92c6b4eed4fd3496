import { once } from 'node:events';
import { Agent } from 'node:https';
import { connect as connectPlain } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { listenMetrics } from '../../src/http/server.js';
import { nothingFound, runReview, startGuard, type TestGuard } from '../support/guard.js';
import { until } from '../support/until.js';

/* What anyone who reaches the port can do to others without a review: next to nothing. */

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function start(...args: Parameters<typeof startGuard>): Promise<TestGuard> {
  const guard = await startGuard(...args);
  cleanUps.push(() => guard.stop());
  return guard;
}

/** A connection over TLS that has sent this much. */
async function opened({ listening: { port }, pair }: TestGuard, sent: string): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, ca: pair.cert, servername: 'localhost' });
  socket.on('error', () => undefined);
  cleanUps.push(() => socket.destroy());
  await once(socket, 'secureConnect');
  await new Promise((resolve) => socket.write(sent, resolve));
  return socket;
}

const head = (length: number): string =>
  `POST /validate HTTP/1.1\r\nHost: guard\r\nContent-Type: application/json\r\nContent-Length: ${String(length)}\r\n\r\n`;

/** A client that keeps its one connection, as the API server keeps its own. */
function keeping({ listening: { port }, pair }: TestGuard) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: pair.cert });
  cleanUps.push(() => {
    agent.destroy();
  });
  const sockets = new Set<unknown>();
  const review = async (): Promise<number> => {
    const sent = request(`https://127.0.0.1:${String(port)}`)
      .post('/validate')
      .agent(agent)
      .send(runReview());
    const { status } = await sent;
    for (const socket of Object.values(agent.freeSockets).flat()) sockets.add(socket);
    return status;
  };
  return { review, connections: () => sockets.size };
}

describe('a body that does not come', () => {
  test('in 210 connections that send one byte each keeps nobody from being answered', async () => {
    const guard = await start();
    await Promise.all(Array.from({ length: 210 }, () => opened(guard, `${head(1000)}{`)));
    for (let count = 0; count < 5; count++) {
      expect((await guard.agent.post('/validate').send(runReview())).status).toBe(200);
    }
  }, 30_000);

  test('is waited for no longer than it may take, and its connection is closed', async () => {
    const guard = await start({ arrivalMilliseconds: 200 });
    const slow = await opened(guard, `${head(1000)}{`);
    let answer = '';
    slow.on('data', (chunk) => (answer += String(chunk)));
    const drip = setInterval(() => slow.write(' '), 20);
    cleanUps.push(() => {
      clearInterval(drip);
    });
    await once(slow, 'close');
    expect(answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(answer).toContain('the body took longer than 0.2 s to come');
  });

  test('gives up its place, the oldest first, where there are more bytes than the guard takes on', async () => {
    const size = JSON.stringify(runReview()).length;
    const limits = () => ({ bodyBytes: size, inFlight: 200, inFlightBytes: 3 * size });
    const guard = await start({ limits });
    const almost = `${head(size)}${' '.repeat(size - 1)}`;
    const first = await opened(guard, almost);
    let answer = '';
    first.on('data', (chunk) => (answer += String(chunk)));
    const others = [await opened(guard, almost), await opened(guard, almost)];
    expect((await guard.agent.post('/validate').send(runReview())).status).toBe(200);
    await until(() => answer !== '');
    expect(answer).toMatch(/^HTTP\/1\.1 503 /);
    expect(others.map(({ destroyed }) => destroyed)).toEqual([false, false]);
  });
});

describe('many requests in one piece', () => {
  const wire = (body: string): string => `${head(Buffer.byteLength(body))}${body}`;

  test('are not all judged before anybody else is: whoever sends without waiting is cut off', async () => {
    let judged = 0;
    const judge = () => {
      judged += 1;
      return nothingFound;
    };
    const guard = await start({ judge });
    const hasty = await opened(guard, wire(JSON.stringify(runReview())).repeat(500));
    hasty.resume();
    await until(() => hasty.closed);
    expect(judged).toBeLessThan(100);
    expect((await guard.agent.post('/validate').send(runReview())).status).toBe(200);
  });

  test('that are answered one after the other are no more than one at once', async () => {
    const client = keeping(await start());
    for (let count = 0; count < 30; count++) expect(await client.review()).toBe(200);
    expect(client.connections()).toBe(1);
  });

  test('for metrics are answered by one text, and not all of them', async () => {
    let made = 0;
    const metrics = () => {
      made += 1;
      return Promise.resolve('text');
    };
    const listening = await listenMetrics({ metrics, contentType: 'text/plain' }, { host: '127.0.0.1', port: 0 });
    cleanUps.push(() => listening.drain());
    const hasty = connectPlain(listening.port, '127.0.0.1');
    hasty.on('error', () => undefined);
    hasty.write('GET /metrics HTTP/1.1\r\nHost: guard\r\n\r\n'.repeat(1000));
    await once(hasty, 'close');
    expect(made).toBeLessThan(5);
    const { text } = await request(`http://127.0.0.1:${String(listening.port)}`).get('/metrics');
    expect(text).toBe('text');
  });
});

describe('a body in very small pieces', () => {
  const chunked = head(0).replace('Content-Length: 0', 'Transfer-Encoding: chunked');
  const inPieces = (text: string): string => `${text.replaceAll(/[^]/g, '1\r\n$&\r\n')}0\r\n\r\n`;
  const answerTo = async (guard: TestGuard, body: string): Promise<string> => {
    const socket = await opened(guard, `${chunked}${inPieces(body)}`);
    let answer = '';
    socket.on('data', (chunk) => (answer += String(chunk)));
    await until(() => socket.closed || answer.includes('}'));
    return answer.slice(0, 12);
  };

  test('is put together again', async () => {
    expect(await answerTo(await start(), JSON.stringify(runReview()))).toBe('HTTP/1.1 200');
  });

  test('is given up where they are more than anybody needs, and nobody is answered', async () => {
    expect(await answerTo(await start(), `${JSON.stringify(runReview())}${' '.repeat(25_000)}`)).toBe('');
  });
});

describe('too many connections', () => {
  test('go where they never brought a review; one that did stays, and whoever is new is answered', async () => {
    const guard = await start({}, { mostConnections: 100 });
    const apiServer = keeping(guard);
    expect(await apiServer.review()).toBe(200);
    const held: TLSSocket[] = [];
    for (let tens = 0; tens < 20; tens++) {
      held.push(...(await Promise.all(Array.from({ length: 10 }, () => opened(guard, '')))));
    }
    await until(() => held.filter(({ destroyed }) => destroyed).length > 100);
    expect(await apiServer.review()).toBe(200);
    expect(apiServer.connections()).toBe(1);
    expect((await guard.agent.post('/validate').send(runReview())).status).toBe(200);
    expect(held.slice(0, 100).every(({ destroyed }) => destroyed)).toBe(true);
  }, 30_000);

  test('go where they have been idle for longest, once each has brought a review', async () => {
    const guard = await start({}, { mostConnections: 3 });
    const clients = [keeping(guard), keeping(guard), keeping(guard)];
    for (const client of clients) await client.review();
    await clients[0]?.review();
    const another = keeping(guard);
    expect(await another.review()).toBe(200);
    for (const client of clients) expect(await client.review()).toBe(200);
    // The second had been idle for longest; when it came back, that was the third.
    expect(clients.map((client) => client.connections())).toEqual([1, 2, 2]);
  });

  test('never go while a review is being judged on them', async () => {
    const waiting: (() => void)[] = [];
    const judge = () =>
      new Promise<typeof nothingFound>((resolve) =>
        waiting.push(() => {
          resolve(nothingFound);
        }),
      );
    const guard = await start({ judge, now: () => Date.now() }, { mostConnections: 5 });
    const status = keeping(guard).review();
    await until(() => waiting.length === 1);
    const held = await Promise.all(Array.from({ length: 20 }, () => opened(guard, '')));
    await until(() => held.filter(({ destroyed }) => destroyed).length >= 16);
    for (const answer of waiting) answer();
    expect(await status).toBe(200);
  });
});
