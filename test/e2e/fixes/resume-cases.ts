import type { Json } from '../harness/api.js';
import { resourceSnapshot } from '../harness/run-controller.js';
import { conditionOf } from '../harness/world.js';
import { after, another, apply, pasted, put, replacedBy, then, type FixCase, type Site } from './case.js';
import { gated, gateExists, getStuck, ground, hasStopped, letFinish, mustWork, runOf, setState } from './ground.js';

const other = ({ name }: Site): string => `${name}-other`;
const atOther = (site: Site): Site => ({ ...site, name: other(site) });

async function groundWithSnapshots(site: Site): Promise<void> {
  await ground(site, gated);
  for (const index of [0, 1]) await put(site, resourceSnapshot(site.name, index, site.scope) as Json);
}

const start = (site: Site, index: string, state = 'Run', name = site.name): Promise<void> =>
  mustWork(site, apply(runOf(site, { resourceSnapshotIndex: index, state }, name)));

/** Another run brings the newer snapshot to all clusters. */
async function otherRollsOut(site: Site): Promise<void> {
  await start(site, '1', 'Run', other(site));
  await letFinish(site, other(site));
  await conditionOf(site.hub, 'UpdateRun', site.scope, [other(site), 'Succeeded']);
}

/** The run has updated its first stage and is stopped at the gate behind it. */
async function stoppedHalfWay(site: Site): Promise<void> {
  await groundWithSnapshots(site);
  await start(site, '0');
  await gateExists(site, `${site.name}-after-canary`);
  await mustWork(site, setState(site, 'Stop'));
  await hasStopped(site, site.name);
}

export const resumeCases: readonly FixCase[] = [
  {
    rule: 'run-resume-mixes-versions',
    when: 'another run has been there',
    async prepare(site) {
      await stoppedHalfWay(site);
      await otherRollsOut(site);
    },
    write: (site) => setState(site, 'Run'),
    follow: replacedBy(),
  },
];

const otherIsTended = (site: Site): Promise<unknown> => Promise.resolve(site.agent.heldBack.delete(other(site)));

async function otherAtItsGate(site: Site): Promise<void> {
  await groundWithSnapshots(site);
  await start(site, '0', 'Run', other(site));
  await gateExists(site, `${other(site)}-after-canary`);
}

export const strictResumeCases: readonly FixCase[] = [
  {
    rule: 'run-rolls-back',
    when: 'a newer snapshot is there',
    async prepare(site) {
      await groundWithSnapshots(site);
      await start(site, '0', 'Initialize');
      await conditionOf(site.hub, 'UpdateRun', site.scope, [site.name, 'Initialized']);
      await otherRollsOut(site);
    },
    write: (site) => setState(site, 'Run'),
    follow: replacedBy(),
  },
  ...[
    {
      way: 'it stops',
      follow: after(
        otherIsTended,
        then(pasted(), (site) => hasStopped(site, other(site))),
      ),
    },
    { way: 'it is deleted', follow: after(otherIsTended, another('delete')) },
  ].map(({ way, follow }): FixCase => ({
    rule: 'run-beside-stopping',
    when: 'another run is stopping',
    way,
    async prepare(site) {
      await otherAtItsGate(site);
      site.agent.heldBack.add(other(site));
      await mustWork(site, setState(atOther(site), 'Stop'));
    },
    write: (site) => apply(runOf(site, { resourceSnapshotIndex: '1' })),
    follow,
  })),
  {
    rule: 'run-beside-stopping',
    when: 'another run is stuck',
    async prepare(site) {
      await otherAtItsGate(site);
      await getStuck(site, other(site));
      await mustWork(site, setState(atOther(site), 'Stop'));
    },
    write: (site) => apply(runOf(site, { resourceSnapshotIndex: '1' })),
    follow: after(otherIsTended),
  },
];
