import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { eventually } from '../eventually.js';
import { programs } from '../hub.js';
import { helm, kubectl, paste, type Ran } from '../kubectl.js';
import { useHub } from '../use-hub.js';
import { StandInNode } from './stand-in-node.js';
import { Writers } from './writers.js';

const hub = useHub({ withControllers: true });
const root = join(import.meta.dirname, '..', '..', '..');
const chart = join(root, 'charts', 'stageguard');
const inOwn = ['--namespace', 'fleet-stageguard'];
let node: StandInNode | undefined;
let writers: Writers;

beforeAll(async () => {
  node = await StandInNode.start(hub());
}, 60_000);
afterAll(() => node?.stop());
beforeEach(() => {
  writers = new Writers(hub());
});
afterEach(() => writers.stop());

const theNode = (): StandInNode => {
  if (node === undefined) throw new Error('the node did not start');
  return node;
};

async function expectDone(ran: Promise<Ran>): Promise<void> {
  const { code, stderr } = await ran;
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
}

/** More of something than there was until now. */
async function more(what: 'refused' | 'letThrough' | 'written', count = 5): Promise<void> {
  const before = writers[what];
  await eventually(
    `${count} more ${what} (${theNode().errors.join()}${theNode().logs()})`,
    () => writers[what] >= before + count || undefined,
    60,
  );
}

const port = (): string => `service.port=${theNode().port}`;
const install = (): Promise<Ran> =>
  helm(hub(), ['install', 'stageguard', chart, ...inOwn, '--create-namespace', '--set', port()]);
const upgrade = (...values: string[]): Promise<Ran> =>
  helm(hub(), ['upgrade', 'stageguard', chart, ...inOwn, ...[port(), ...values].flatMap((value) => ['--set', value])]);

async function whenGone(): Promise<void> {
  await eventually('the pods are gone', () => theNode().isEmpty || undefined, 60);
  await more('letThrough');
}

/** The pods of before have ended. */
async function rolled(by: () => Promise<Ran>): Promise<void> {
  const before = theNode().started;
  await expectDone(by());
  await eventually('a new pod is started', () => theNode().started > before || undefined, 60);
  await eventually('it is ready, and alone', () => theNode().isSettled || undefined, 60);
}

/** While webhooks are in force, nothing wrong is let through, whatever happens to the pods. */
async function withoutGap(change: () => Promise<void>): Promise<void> {
  const before = writers.letThrough;
  await change();
  expect(writers.letThrough).toBe(before);
}

describe('no write fails because of the guard', () => {
  test('with Helm: install, upgrade, rollback, uninstall, and the same again', async () => {
    await more('letThrough');
    await expectDone(install());
    await more('refused');
    await withoutGap(async () => {
      await rolled(() => upgrade('config.message.footer=Ask us'));
      await rolled(() => helm(hub(), ['rollback', 'stageguard', '1', ...inOwn]));
    });
    await expectDone(helm(hub(), ['uninstall', 'stageguard', ...inOwn]));
    await whenGone();
    await expectDone(install());
    await more('refused');
    await expectDone(helm(hub(), ['uninstall', 'stageguard', ...inOwn]));
    await whenGone();
    expect(writers.faults).toEqual([]);
  }, 180_000);

  test('with kubectl: apply, apply again, and delete by the same file', async () => {
    const file = join(hub().folder, 'stageguard.yaml');
    const text = readFileSync(join(root, 'deploy', 'stageguard.yaml'), 'utf8');
    writeFileSync(file, text.replaceAll('port: 443\n', `port: ${theNode().port}\n`));
    await expectDone(kubectl(hub(), 'admin', ['apply', '-f', file]));
    await more('refused');
    await withoutGap(async () => {
      await expectDone(kubectl(hub(), 'admin', ['apply', '-f', file]));
      await more('refused', 20);
    });
    await expectDone(kubectl(hub(), 'admin', ['delete', '--ignore-not-found', '-f', file]));
    await whenGone();
    expect(writers.faults).toEqual([]);
  }, 180_000);

  test('when somebody deletes the namespace', async () => {
    await expectDone(install());
    await more('refused');
    await expectDone(kubectl(hub(), 'admin', ['delete', 'namespace', 'fleet-stageguard']));
    await whenGone();
    // What is left is taken over, and waits for the new guard.
    await expectDone(install());
    await more('refused');
    await expectDone(helm(hub(), ['uninstall', 'stageguard', ...inOwn]));
    await whenGone();
    expect(writers.faults).toEqual([]);
  }, 180_000);

  test('by the commands of docs/install.md and docs/uninstall.md', async () => {
    const [install, check] = blocksOf('install.md');
    const [uninstall] = blocksOf('uninstall.md');
    const env = { PATH: `${helmForTheNode()}:${dirname(programs.kubectl)}:${process.env['PATH'] ?? ''}` };
    symlinkSync(join(root, 'charts'), join(hub().folder, 'charts'));
    await expectDone(paste(hub(), 'admin', install ?? '', { env }));
    await more('refused', 1);
    expect((await paste(hub(), 'admin', check ?? '', { env })).stderr).toContain(
      'admission webhook "strategies.validate.stageguard.io" denied the request',
    );
    await expectDone(paste(hub(), 'admin', uninstall ?? '', { env }));
    await whenGone();
    expect(writers.faults).toEqual([]);
  }, 180_000);
});

/** The commands of a document, block by block. */
function blocksOf(file: string): readonly string[] {
  const text = readFileSync(join(root, 'docs', file), 'utf8');
  return [...text.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block);
}

/** A folder with a helm that tells the chart on which port the node stands in for the Service. */
function helmForTheNode(): string {
  const folder = join(hub().folder, 'bin');
  mkdirSync(folder);
  const script = `#!/bin/sh\ncase $1 in install) set -- "$@" --set ${port()};; esac\nexec ${programs.helm} "$@"\n`;
  writeFileSync(join(folder, 'helm'), script, { mode: 0o755 });
  return folder;
}
