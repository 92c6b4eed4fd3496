import { kindIn } from '../../../src/fleet/kinds.js';
import { expectStored } from '../harness/hub.js';
import { pathOf } from '../harness/paths.js';
import { conditionOf } from '../harness/world.js';
import { after, another, apply, create, pasted, then, type FixCase, type Follow, type Site } from './case.js';
import {
  fail,
  gated,
  getStuck,
  ground,
  hasStopped,
  letFinish,
  mustWork,
  prepared,
  running,
  runOf,
  setState,
  within,
} from './ground.js';

const write: FixCase['write'] = (site) => apply(runOf(site));
const other = ({ name }: Site): string => `${name}-other`;

/** Another run of the placement waits at its gate. */
async function beside(site: Site): Promise<void> {
  await ground(site, gated);
  await mustWork(site, apply(runOf(site, {}, other(site))));
}

/** It stands at a cluster that does not become available. */
async function otherIsStuck(site: Site): Promise<void> {
  await mustWork(site, apply(runOf(site, {}, other(site))));
  await conditionOf(site.hub, 'UpdateRun', site.scope, [other(site), 'Initialized']);
  await getStuck(site, other(site));
}

const otherFinishes = (site: Site): Promise<void> => letFinish(site, other(site));
const otherHasStopped = (site: Site): Promise<unknown> => hasStopped(site, other(site));

/** It fails while somebody waits for its end. */
const otherFails: Follow = async (refusal, site, sent) => {
  await conditionOf(site.hub, 'UpdateRun', site.scope, [other(site), 'Initialized']);
  const pasting = pasted()(refusal, site, sent);
  await fail(site, other(site));
  return pasting;
};

interface Way {
  readonly way: string;
  readonly follow: Follow;
}

const ways: readonly Way[] = [
  { way: 'it finishes', follow: after(otherFinishes) },
  { way: 'it fails', follow: otherFails },
  { way: 'it is stopped', follow: then(another('patch'), otherHasStopped) },
  { way: 'it is deleted', follow: another('delete') },
];

/** Stored in state Initialize, and started by the last of the printed commands when the other one is through. */
const startedLater: Follow = async (refusal, site, sent) => {
  await mustWork(site, apply(runOf(site, { state: 'Initialize' })));
  await otherFinishes(site);
  await mustWork(site, {
    args: [
      'wait',
      kindIn('UpdateRun', site.scope).plural,
      other(site),
      ...within(site.scope),
      '--for=condition=Succeeded',
    ],
  });
  const line = refusal.lines.at(-1) ?? '';
  await another('patch')({ ...refusal, lines: [line] }, site, sent);
  return undefined;
};

/** A stuck run is let go of like any other. */
const otherIsTended = (site: Site): Promise<unknown> => Promise.resolve(site.agent.heldBack.delete(other(site)));

const stuckWays: readonly Way[] = [
  { way: 'it is stopped', follow: pasted() },
  { way: 'it is deleted', follow: after(otherIsTended, another('delete')) },
];

const freeCases: readonly FixCase[] = [
  ...[...ways, { way: 'this one is started later', follow: startedLater }].map(({ way, follow }): FixCase => ({
    rule: 'run-placement-free',
    when: 'another run is active',
    way,
    prepare: beside,
    write,
    follow,
  })),
  ...ways.map(({ way, follow }): FixCase => ({
    rule: 'run-placement-free',
    when: 'another run is active and this one is started',
    way,
    async prepare(site) {
      await ground(site, gated);
      await prepared(site);
      await mustWork(site, apply(runOf(site, {}, other(site))));
    },
    write: (site) => setState(site, 'Run'),
    follow,
  })),
  ...stuckWays.map(({ way, follow }): FixCase => ({
    rule: 'run-placement-free',
    when: 'another run is stuck',
    way,
    async prepare(site) {
      await ground(site, gated);
      await otherIsStuck(site);
    },
    write,
    follow,
  })),
  ...stuckWays.map(({ way, follow }): FixCase => ({
    rule: 'run-placement-free',
    when: 'another run is stuck and this one is started',
    way,
    async prepare(site) {
      await ground(site, gated);
      await prepared(site);
      await otherIsStuck(site);
    },
    write: (site) => setState(site, 'Run'),
    follow,
  })),
  {
    rule: 'run-placement-free',
    when: 'the name is taken',
    prepare: running,
    write: (site) => create(runOf(site)),
  },
  {
    rule: 'run-placement-free',
    when: 'the name is being deleted',
    async prepare(site) {
      await running(site);
      // The hub agent takes its time to let go.
      site.agent.heldBack.add(site.name);
      const deleted = await site.hub.api('admin').delete(pathOf('UpdateRun', site.scope, site.name));
      expectStored(deleted);
    },
    write: (site) => create(runOf(site)),
    follow: after((site) => Promise.resolve(site.agent.heldBack.delete(site.name))),
  },
];

const writes = [
  { when: 'someone deletes it', words: (name: string) => ['delete', name] },
  {
    when: 'someone changes it',
    words: (name: string) => [
      ...['patch', name, '--type=merge', '-p'],
      '{"spec":{"strategy":{"applyStrategy":{"type":"ServerSideApply"}}}}',
    ],
  },
];

const inUseCases: readonly FixCase[] = writes.flatMap(({ when, words }) => {
  const base = {
    rule: 'placement-in-use',
    when,
    prepare: running,
    write({ scope, name }: Site) {
      const [verb = '', ...rest] = words(name);
      return { args: [verb, kindIn('Placement', scope).plural, ...rest, ...within(scope)] };
    },
  };
  return [
    { ...base, way: 'the run finishes', follow: after(letFinish) },
    { ...base, way: 'the run is given up', follow: another('delete') },
  ];
});

/** The last line waits for what comes after the change itself. */
const thenScheduled: FixCase = {
  rule: 'placement-in-use',
  when: 'someone changes it',
  way: 'a new run follows',
  prepare: running,
  write: (site) => ({
    args: [
      ...['patch', kindIn('Placement', site.scope).plural, site.name, ...within(site.scope), '--type=merge', '-p'],
      '{"spec":{"strategy":{"applyStrategy":{"type":"ServerSideApply"}}}}',
    ],
  }),
  async follow(refusal, site, sent) {
    await another('delete')(refusal, site, sent);
    await mustWork(site, sent);
    await another('wait')(refusal, site, sent);
    return apply(runOf(site, {}, `${site.name}-next`));
  },
};

export const conflictCases: readonly FixCase[] = [
  ...freeCases,
  ...inUseCases,
  thenScheduled,
  {
    rule: 'strategy-in-use',
    when: 'a run is starting',
    async prepare(site) {
      await ground(site, gated);
      site.agent.heldBack.add(site.name);
      await mustWork(site, apply(runOf(site)));
    },
    write: ({ scope, name }) => ({ args: ['delete', kindIn('UpdateStrategy', scope).plural, name, ...within(scope)] }),
    follow: after((site) => Promise.resolve(site.agent.heldBack.delete(site.name))),
  },
];
