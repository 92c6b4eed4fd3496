import { describe, expect, test } from '@jest/globals';
import { decide, type Situation, type Step } from '../../src/claims/protocol.js';
import { Model, ourProtocol, type Actor, type Protocol, type Scenario } from './model.js';

const created = (name: string, index?: string): Actor => ({
  name,
  initially: 'absent',
  writes: 'create',
  ...(index !== undefined && { index }),
});
const started = (name: string): Actor => ({ name, initially: 'idle', writes: 'start' });

const forged = (name: string): Actor => ({ name, initially: 'absent', writes: 'forge' });

const scenarios = {
  'three runs are created': { actors: [created('a'), created('b'), created('c')] },
  'two stored runs are started while a third is created': { actors: [started('a'), started('b'), created('c')] },
  'a run that held the placement is resumed while another is started and a third created': {
    actors: [started('a'), started('b'), created('c')],
    holder: 0,
  },
  'two runs take the name of one that is being deleted, and a third is created': {
    actors: [created('a'), created('a'), created('b'), { name: 'a', initially: 'deleting' }],
  },
  'an active run is stopped, finished or deleted while two are created, and refusals are timed': {
    actors: [{ name: 'a', initially: 'active' }, created('b'), created('c')],
    holder: 0,
    timesRefusals: true,
  },
  'the caretaker removes a claim while a run is resumed and another created': {
    actors: [started('a'), created('b'), { name: '', initially: 'absent', writes: 'release' }],
    holder: 0,
  },
  'the answer to a write is lost, or someone deletes a Lease that every replica has seen': {
    actors: [started('a'), created('b')],
    losesAnswers: true,
    isDeletedByHand: true,
  },
  'someone forges a create again and again while two runs are created, and refusals are timed': {
    actors: [forged('x'), created('b'), created('c')],
    timesRefusals: true,
  },
  'two runs that do the same and one that does not, where the same may overlap': {
    actors: [created('a', '1'), created('b', '1'), created('c')],
    concurrency: 'compatible',
  },
} satisfies Record<string, Scenario>;

describe('whatever happens, no placement has two active runs and none stays blocked', () => {
  test.each(Object.entries(scenarios))(
    '%s',
    (_name, scenario) => {
      const { violation, states, admissions } = new Model(scenario).explore();
      expect(violation).toBeUndefined();
      // A world in which nothing can happen proves nothing.
      expect(states).toBeGreaterThan(1_000);
      expect(admissions).toBeGreaterThan(100);
    },
    120_000,
  );
});

/** Decides as if every claim on whose holder this says so had settled. */
const hasty =
  (isSettled: (holder: Situation['holders'][number]) => boolean) =>
  (situation: Situation): Step =>
    decide(situation.holders.some(isSettled) ? { ...situation, age: situation.settle } : situation);

/** Gives the placement to whoever asks. */
const free = ({ request }: Situation): Step => ({ act: 'write', how: 'take over', claims: [request] });

const twoActive = 'two runs are active';
const blocked = 'a placement was blocked for longer than the settle time';
const twoCreates = { actors: [created('a'), created('b')] };

describe('the model finds what is wrong with a protocol', () => {
  test.each<[string, Partial<Protocol>, Scenario, string]>([
    ['without compare-and-swap', { comparesAndSwaps: false }, twoCreates, twoActive],
    [
      'without the rule for holders that were never seen stored',
      { decide: hasty(({ run }) => run === 'absent') },
      twoCreates,
      twoActive,
    ],
    [
      'that admits a create unclaimed because its name is stored and being deleted',
      { admitsNamesakesUnclaimed: true },
      { actors: [created('a'), created('b'), { name: 'a', initially: 'deleting' }] },
      twoActive,
    ],
    ['that tells ages by a clock that jumps an hour', { readsTheWall: true }, twoCreates, twoActive],
    [
      'that takes over from a holder that is stored but not yet active',
      { decide: hasty(({ run }) => run === 'idle') },
      { actors: [started('a'), created('b')] },
      twoActive,
    ],
    ['that looks at the age after it has read the run', { looksTooLate: true }, twoCreates, twoActive],
    [
      'that never takes over what has settled',
      { decide: (situation: Situation) => decide({ ...situation, age: 0 }) },
      twoCreates,
      'a placement stays blocked',
    ],
    [
      'that lets everyone it sends away renew the claim',
      { refreshesOnRetry: true },
      { actors: [created('a'), created('b'), created('c')], timesRefusals: true },
      blocked,
    ],
    [
      'that lets a create renew its claim whenever its review comes again',
      { renewsCreates: true },
      { actors: [forged('x'), created('b')], timesRefusals: true },
      blocked,
    ],
    [
      'that forgets at once who held a Lease that someone deleted',
      { forgetsWhatIsGone: true },
      { ...twoCreates, isDeletedByHand: true },
      twoActive,
    ],
    [
      'whose caretaker removes a claim that has not settled',
      { decide: (situation: Situation) => (situation.request.name === '' ? free(situation) : decide(situation)) },
      { actors: [created('a'), created('b'), { name: '', initially: 'absent', writes: 'release' }] },
      twoActive,
    ],
  ])(
    '%s',
    (_name, broken, scenario, expected) => {
      expect(new Model(scenario).explore().violation).toBeUndefined();
      const { violation } = new Model(scenario, { ...ourProtocol, ...broken }).explore();
      expect(violation?.what).toBe(expected);
      expect(violation?.trace.length).toBeGreaterThan(3);
    },
    120_000,
  );
});
