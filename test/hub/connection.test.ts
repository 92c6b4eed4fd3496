import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { GuardError } from '../../src/errors.js';
import { Connection } from '../../src/hub/connection.js';
import { HubError } from '../../src/hub/hub.js';
import { scratchFolder } from '../support/scratch.js';

let server: Server;
let sockets: number;
let seen: IncomingMessage[];
let answer: { status: number; body: string; headers?: Record<string, string> };
let connection: Connection | undefined;
let now = 0;
const folder = scratchFolder();

beforeEach(async () => {
  sockets = 0;
  seen = [];
  answer = { status: 200, body: '{"ok":true}' };
  server = createServer((request, response) => {
    seen.push(request);
    response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
    response.end(answer.body);
  });
  server.on('connection', () => sockets++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  await connection?.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

function connect(user: object, cluster: object = {}): Connection {
  const { port } = server.address() as AddressInfo;
  const kubeconfig = join(folder, `kubeconfig-${String(port)}`);
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'one',
      clusters: [
        {
          name: 'hub',
          cluster: { server: `http://127.0.0.1:${String(port)}/`, 'insecure-skip-tls-verify': true, ...cluster },
        },
      ],
      users: [{ name: 'user', user }],
      contexts: [
        { name: 'one', context: { cluster: 'hub', user: 'user' } },
        { name: 'none', context: { cluster: 'other', user: 'user' } },
      ],
    }),
  );
  connection = new Connection({ kubeconfig }, () => now);
  return connection;
}

describe('a connection', () => {
  test('hands over the objects of a list as they come, long before the page is whole', async () => {
    let finish: () => void = () => undefined;
    server.removeAllListeners('request');
    server.on('request', (_request, response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write('{"apiVersion":"v1","items":[{"name":"first"},{"name":"sec');
      finish = () => response.end('ond"}],"metadata":{"resourceVersion":"7","continue":"more"}}');
    });
    const items: unknown[] = [];
    const end = connect({ token: 'secret' }).list({ path: '/' }, (item) => {
      items.push(item);
      if (items.length === 1) finish();
    });
    expect(await end).toMatchObject({ version: '7', next: 'more' });
    expect(items).toEqual([{ name: 'first' }, { name: 'second' }]);
  });

  test('an answer to a list that is none is told by its status and reason', async () => {
    answer = { status: 403, body: '{"kind":"Status","message":"not you"}', headers: { 'retry-after': '7' } };
    const error = await connect({ token: 'secret' })
      .list({ path: '/' }, () => undefined)
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ status: 403, message: expect.stringContaining('not you'), retryAfterSeconds: 7 });
  });

  test('sends the token of the kubeconfig, and what it is asked to', async () => {
    const hub = connect({ token: 'secret' });
    expect(await hub.call({ path: '/apis/x?limit=5', accept: 'application/json;as=Table' })).toEqual({ ok: true });
    expect(seen[0]?.url).toBe('/apis/x?limit=5');
    expect(seen[0]?.headers).toMatchObject({ authorization: 'Bearer secret', accept: 'application/json;as=Table' });
  });

  test('sends the token of a file beside the kubeconfig, which beats one that is written into it', async () => {
    writeFileSync(join(folder, 'token'), 'from-the-file\n');
    await connect({ tokenFile: 'token', token: 'old' }).call({ path: '/' });
    expect(seen[0]?.headers.authorization).toBe('Bearer from-the-file');
  });

  test('reads the token of a file again after a minute, and not before', async () => {
    writeFileSync(join(folder, 'token'), 'first');
    const hub = connect({ tokenFile: 'token' });
    writeFileSync(join(folder, 'token'), 'second');
    now += 59_000;
    await hub.call({ path: '/' });
    now += 1_000;
    await hub.call({ path: '/' });
    expect(seen.map(({ headers }) => headers.authorization)).toEqual(['Bearer first', 'Bearer second']);
  });

  test('a token file that is not there is said before anything is asked', () => {
    expect(() => connect({ tokenFile: 'nowhere' })).toThrow(/cannot read the kubeconfig: .*nowhere/);
  });

  test('asks an exec plugin for its token', async () => {
    const plugin = join(folder, 'plugin.sh');
    const credential = {
      apiVersion: 'client.authentication.k8s.io/v1',
      kind: 'ExecCredential',
      status: { token: 'made' },
    };
    writeFileSync(plugin, `#!/bin/sh\necho '${JSON.stringify(credential)}'\n`);
    chmodSync(plugin, 0o755);
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: plugin, interactiveMode: 'Never' };
    await connect({ exec }).call({ path: '/' });
    expect(seen[0]?.headers.authorization).toBe('Bearer made');
  });

  test('keeps its connections: twenty calls in a row need no more than two', async () => {
    const hub = connect({ token: 't' });
    for (let i = 0; i < 20; i++) await hub.call({ path: '/' });
    // The second call may begin before the first connection is free again.
    expect(sockets).toBeLessThanOrEqual(2);
  });

  test('sends a GET again when a kept connection was closed under it', async () => {
    const hub = connect({ token: 't' });
    await hub.call({ path: '/' });
    server.closeAllConnections();
    expect(await hub.call({ path: '/' })).toEqual({ ok: true });
  });

  test('tells the status and the words of a refusal, and how long to wait', async () => {
    answer = { status: 429, body: '{"kind":"Status","message":"slow down"}', headers: { 'retry-after': '7' } };
    const failure = connect({ token: 't' }).call({ path: '/' });
    await expect(failure).rejects.toMatchObject({ status: 429, retryAfterSeconds: 7 });
    await expect(failure).rejects.toThrow('slow down');
  });

  test('says so when the answer is no JSON', async () => {
    answer = { status: 200, body: '<html>' };
    await expect(connect({ token: 't' }).call({ path: '/' })).rejects.toThrow(HubError);
  });

  test('gives up when it is told to', async () => {
    await expect(connect({ token: 't' }).call({ path: '/', signal: AbortSignal.abort() })).rejects.toThrow();
    expect(seen).toEqual([]);
  });

  test('posts JSON', async () => {
    await connect({ token: 't' }).call({ path: '/', method: 'POST', body: { a: 1 } });
    expect(seen[0]).toMatchObject({ method: 'POST', headers: { 'content-type': 'application/json' } });
  });

  test('takes a stream line by line, blank lines aside', async () => {
    answer = { status: 200, body: '{"a":1}\n\n{"a":2}\n{"a":3}' };
    const lines: unknown[] = [];
    for await (const line of await connect({ token: 't' }).stream({ path: '/' })) lines.push(line);
    expect(lines).toEqual([{ a: 1 }, { a: 2 }, { a: 3 }]);
  });

  test('fails a stream at a line that is cut off', async () => {
    answer = { status: 200, body: '{"a":1}\n{"a":' };
    const read = async () => {
      for await (const line of await connect({ token: 't' }).stream({ path: '/' })) expect(line).toEqual({ a: 1 });
    };
    await expect(read()).rejects.toThrow('no JSON');
  });
});

describe('a kubeconfig that leads nowhere is said to', () => {
  test('because there is no such file', () => {
    expect(() => new Connection({ kubeconfig: join(folder, 'none') })).toThrow(GuardError);
  });

  test.each([
    ['is cut off', '{"users":[{"user":{"token":"hunter2"', 'unexpected end'],
    ['has a mistake in the line of a token', 'users:\n- user: {token: hunter2, : [}', 'missed comma'],
  ])('and what it holds is not told where it %s', (_name, text, reason) => {
    const kubeconfig = join(folder, 'cut');
    writeFileSync(kubeconfig, text);
    const told = (): string => {
      try {
        return new Connection({ kubeconfig }).server;
      } catch (error) {
        return inspect(error);
      }
    };
    expect(told()).toContain(reason);
    expect(told()).not.toContain('hunter2');
  });

  test('and credentials in the address are not told', () => {
    const kubeconfig = join(folder, 'address');
    const server = 'https://alice:hunter2@127.0.0.1:1/hub';
    const clusters = [{ name: 'c', cluster: { server } }];
    const contexts = [{ name: 'x', context: { cluster: 'c', user: 'u' } }];
    writeFileSync(kubeconfig, JSON.stringify({ 'current-context': 'x', clusters, contexts, users: [] }));
    expect(new Connection({ kubeconfig }).server).toBe('https://127.0.0.1:1/hub');
  });

  test('because it is no kubeconfig', () => {
    const kubeconfig = join(folder, 'broken');
    writeFileSync(kubeconfig, 'clusters: 5');
    expect(() => new Connection({ kubeconfig })).toThrow(GuardError);
  });

  test('because its context names no cluster', () => {
    connect({ token: 't' });
    const { port } = server.address() as AddressInfo;
    const kubeconfig = join(folder, `kubeconfig-${String(port)}`);
    expect(() => new Connection({ kubeconfig, context: 'none' })).toThrow('names no cluster');
  });
});
