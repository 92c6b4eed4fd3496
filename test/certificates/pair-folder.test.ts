import { mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { TlsPair } from '../../src/certificates/certificate.js';
import { issuePair, makeAuthority } from '../../src/certificates/issue.js';
import { readPair, watchPair } from '../../src/certificates/pair-folder.js';
import { listenHttps } from '../../src/http/server.js';
import { until } from '../support/until.js';

const hour = 60 * 60 * 1000;
let folder: string;
const cleanUps: (() => unknown)[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'stageguard-'));
});
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
  await rm(folder, { recursive: true, force: true });
});

async function pairFrom(ca: TlsPair, notAfter = Date.now() + hour): Promise<TlsPair> {
  return issuePair(ca, ['127.0.0.1'], { now: Date.now(), notAfter });
}

const withJunk = ({ cert, key }: TlsPair): TlsPair => ({
  cert: `${cert}\n-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
  key,
});

const newCa = (): Promise<TlsPair> => makeAuthority({ now: Date.now(), notAfter: Date.now() + hour });

let version = 0;

/** As a kubelet does it: a new folder, and a link that turns. */
async function turn({ cert, key }: TlsPair): Promise<void> {
  const name = `..${String(++version)}`;
  await mkdir(join(folder, name));
  await Promise.all([writeFile(join(folder, name, 'tls.crt'), cert), writeFile(join(folder, name, 'tls.key'), key)]);
  await symlink(name, join(folder, '..data_tmp'));
  await rename(join(folder, '..data_tmp'), join(folder, '..data'));
}

/** Follows the folder; `errors` and `pairs` grow. */
async function follow(): Promise<{ readonly pairs: TlsPair[]; readonly errors: unknown[] }> {
  const seen = { pairs: [] as TlsPair[], errors: [] as unknown[] };
  const end = watchPair(folder, await readPair(folder), {
    onPair: (pair) => seen.pairs.push(pair),
    onError: (error) => seen.errors.push(error),
    pollMilliseconds: 200,
  });
  cleanUps.push(end);
  return seen;
}

describe('a pair in use stays, and the fault is told, when the next one', () => {
  test.each<[string, (ca: TlsPair) => Promise<TlsPair>]>([
    ['has expired', (ca) => pairFrom(ca, Date.now() - 1000)],
    ['has the key of another', async (ca) => ({ ...(await pairFrom(ca)), key: (await pairFrom(ca)).key })],
    ['is half written', async (ca) => ({ ...(await pairFrom(ca)), key: '' })],
    ['has junk in its chain', async (ca) => withJunk(await pairFrom(ca))],
    ['is cut off', async (ca) => ({ ...(await pairFrom(ca)), cert: (await pairFrom(ca)).cert.slice(0, 200) })],
  ])('%s; a good one after it is taken', async (_name, make) => {
    const ca = await newCa();
    await turn(await pairFrom(ca));
    const seen = await follow();
    await turn(await make(ca));
    await until(() => seen.errors.length > 0);
    expect(seen.pairs).toEqual([]);
    const good = await pairFrom(ca);
    await turn(good);
    await until(() => seen.pairs.length > 0);
    expect(seen.pairs).toEqual([good]);
  });

  test('is deleted, and even the folder', async () => {
    const ca = await newCa();
    await turn(await pairFrom(ca));
    const seen = await follow();
    await rm(folder, { recursive: true });
    await until(() => seen.errors.length > 0);
    expect(seen.pairs).toEqual([]);
    await mkdir(folder);
    const good = await pairFrom(ca);
    await turn(good);
    await until(() => seen.pairs.length > 0);
    expect(seen.pairs).toEqual([good]);
  });
});

test('a pair that could not be put to use is tried again', async () => {
  await turn(await pairFrom(await newCa()));
  const first = await readPair(folder);
  let tries = 0;
  const end = watchPair(folder, first, {
    onPair: () => {
      tries += 1;
      throw new Error('not now');
    },
    onError: () => undefined,
    pollMilliseconds: 50,
  });
  cleanUps.push(end);
  await turn(await pairFrom(await newCa()));
  await until(() => tries > 1);
});

test('the same pair again is not taken twice', async () => {
  const ca = await newCa();
  const first = await pairFrom(ca);
  await turn(first);
  const seen = await follow();
  await turn(first);
  const next = await pairFrom(ca);
  await turn(next);
  await until(() => seen.pairs.length > 0);
  expect(seen).toEqual({ pairs: [next], errors: [] });
});

test('twenty rotations under requests, on new connections and on kept ones, lose none', async () => {
  const ca = await newCa();
  await turn(await pairFrom(ca));
  const server = await listenHttps((_, response) => response.end('ok'), await readPair(folder), {
    ...{ host: '127.0.0.1', port: 0 },
  });
  cleanUps.push(() => server.drain({ hardMilliseconds: 0 }));
  const serials = new Set<string>();
  const failures: unknown[] = [];
  let isOver = false;
  const ask = (agent: Agent): Promise<void> =>
    new Promise((resolve) => {
      const asked = get({ host: '127.0.0.1', port: server.port, agent, ca: ca.cert }, (response) => {
        const { socket } = response as unknown as { socket: { getPeerCertificate(): { serialNumber: string } } };
        serials.add(socket.getPeerCertificate().serialNumber);
        response.resume().on('end', resolve);
      });
      asked.on('error', (error) => {
        failures.push(error);
        resolve();
      });
    });
  const client = async (keepAlive: boolean): Promise<void> => {
    const agent = new Agent({ keepAlive, maxCachedSessions: 0 });
    while (!isOver) await ask(agent);
    agent.destroy();
  };
  const end = watchPair(folder, await readPair(folder), {
    onPair: (pair) => {
      server.setPair(pair);
      taken += 1;
    },
    onError: (error) => failures.push(error),
  });
  cleanUps.push(end);
  let taken = 0;
  const clients = [client(true), client(false), client(false)];
  for (let rotation = 1; rotation <= 20; rotation++) {
    await turn(await pairFrom(ca));
    await until(() => taken === rotation);
    // Until someone has seen it.
    await until(() => serials.size === rotation + 1 || failures.length > 0);
  }
  isOver = true;
  await Promise.all(clients);
  expect(failures).toEqual([]);
  expect(serials.size).toBe(21);
}, 60_000);
