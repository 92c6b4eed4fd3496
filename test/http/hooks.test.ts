import { describe, expect, test } from '@jest/globals';
import { hookFor, hooks } from '../../src/http/hooks.js';
import { catalogue } from '../../src/rules/index.js';
import { kinds } from '../../src/fleet/kinds.js';
import {
  approval,
  cluster,
  condition,
  creation,
  deletion,
  run,
  start,
  update,
  type ChangeDraft,
} from '../support/builders.js';
import { changeIn, scopes } from '../support/scopes.js';

const approved = approval('a', { status: { conditions: [condition('Approved', 'True')] } });
const accepted = approval('a', {
  status: { conditions: [condition('Approved', 'True'), condition('ApprovalAccepted', 'True')] },
});
const forged = approval('a', { status: { conditions: [condition('ApprovalAccepted', 'True')] } });
const refused = approval('a', { status: { conditions: [condition('Approved', 'False')] } });
const acceptedAgainst = approval('a', {
  status: { conditions: [condition('Approved', 'False'), condition('ApprovalAccepted', 'True')] },
});
const placement = { family: 'Placement', json: { metadata: { name: 'shop' }, spec: {} } } as const;
const strategy = { family: 'UpdateStrategy', json: { metadata: { name: 'rings' }, spec: {} } } as const;
const eviction = { family: 'Eviction', json: { metadata: { name: 'e' }, spec: {} } } as const;
const stopped = run('r', { spec: { state: 'Stop' } });
const status = { subresource: 'status' } as const;

describe.each(scopes)('the webhook of a write, $name', (scope) => {
  test.each<[string, ChangeDraft, string | undefined]>([
    ['a run is created', creation(run('r')), 'run-starts'],
    ['a run is started', start(run('r')), 'run-starts'],
    ['a run is stopped', update(run('r'), stopped), 'run-changes'],
    ['a run is edited while it runs', update(run('r'), run('r')), 'run-changes'],
    ['a run is edited through v1alpha1', update(run('r'), stopped, { requestVersion: 'v1alpha1' }), 'run-starts'],
    ['the status of a run is written', update(run('r'), run('r'), status), 'run-status'],
    ['a run is deleted', deletion(run('r')), 'deletions'],
    ['a strategy is created', creation(strategy), 'strategies'],
    ['a strategy is edited', update(strategy, strategy), 'strategies'],
    ['an approval is granted', update(approval('a'), approved, status), 'approval-grants'],
    ['an approval is left as it is', update(approved, approved, status), 'approval-changes'],
    ['an approval is accepted', update(approved, accepted, status), 'approval-changes'],
    ['an approval is accepted that nobody has given', update(approval('a'), forged, status), 'approval-grants'],
    ['a no is accepted', update(refused, acceptedAgainst, status), 'approval-grants'],
    ['an acceptance is taken away', update(forged, approval('a'), status), 'approval-changes'],
    ['an acceptance is left as it is', update(forged, forged, status), 'approval-changes'],
    ['an approval is created', creation(approval('a')), 'approval-changes'],
    ['an approval is edited', update(approval('a'), approval('a')), undefined],
    ['a placement is created', creation(placement), undefined],
    ['a placement is edited', update(placement, placement), 'placements'],
    ['a placement is deleted', deletion(placement), 'deletions'],
    ['an eviction is made', creation(eviction), 'evictions'],
    ['a member cluster is edited', update(cluster('c'), cluster('c')), 'member-clusters'],
  ])('when %s', (_, draft, name) => {
    const expected = name === undefined ? undefined : `${name}.validate.stageguard.io`;
    expect(hookFor(changeIn(scope, draft), 'validate')?.name).toBe(expected);
  });

  test('in the mutating phase', () => {
    const grant = changeIn(scope, update(approval('a'), approved, status));
    const misplaced = changeIn(scope, update(approval('a'), approved));
    expect(hookFor(grant, 'mutate')?.name).toBe('approval-grants.mutate.stageguard.io');
    expect(hookFor(misplaced, 'mutate')?.name).toBe('approval-hints.mutate.stageguard.io');
    expect(hookFor(changeIn(scope, creation(run('r'))), 'mutate')).toBeUndefined();
  });
});

describe('the table', () => {
  test('has names that are unique and of four parts, one for each phase', () => {
    expect(new Set(hooks.map(({ name }) => name)).size).toBe(hooks.length);
    for (const { name, phase } of hooks) expect(name).toMatch(new RegExp(`^[a-z-]+\\.${phase}\\.stageguard\\.io$`));
  });

  test('covers both scopes of a kind with the same writes', () => {
    for (const { resources } of hooks) {
      for (const { plural, operations, subresource } of resources) {
        const family = kinds.find((kind) => kind.plural === plural)?.family;
        for (const twin of kinds.filter((kind) => kind.family === family)) {
          expect(resources).toContainEqual(
            expect.objectContaining({ plural: twin.plural, operations, ...(subresource && { subresource }) }),
          );
        }
      }
    }
  });

  test('fails closed in four places only, and none of them is a deletion or a stop', () => {
    const closed = hooks.filter(({ failurePolicy }) => failurePolicy === 'Fail');
    expect(closed.map(({ name }) => name.split('.').slice(0, 2).join('.'))).toEqual([
      'run-starts.validate',
      'strategies.validate',
      'approval-grants.validate',
      'approval-grants.mutate',
    ]);
    expect(closed.flatMap(({ resources }) => resources.flatMap(({ operations }) => operations))).not.toContain(
      'DELETE',
    );
  });

  test('asks about nothing that the agent of a member cluster writes', () => {
    const asked = new Set(hooks.flatMap(({ resources }) => resources.map(({ plural }) => plural)));
    expect([...asked].filter((plural) => !kinds.some((kind) => kind.plural === plural))).toEqual([]);
    const clusters = hooks.flatMap(({ resources }) => resources.filter(({ plural }) => plural === 'memberclusters'));
    expect(clusters.filter(({ subresource }) => subresource !== undefined)).toEqual([]);
    expect(clusters.length).toBeGreaterThan(0);
  });

  test('asks about every write that a rule judges', () => {
    const asked = new Set(
      hooks
        .filter(({ phase }) => phase === 'validate')
        .flatMap(({ resources }) =>
          resources.flatMap(({ plural, operations, subresource }) =>
            operations.map((operation) => `${plural}/${subresource ?? ''} ${operation}`),
          ),
        ),
    );
    const judged = catalogue.flatMap(({ id, appliesTo }) =>
      appliesTo.flatMap(({ family, operations, subresource }) =>
        kinds
          .filter((kind) => kind.family === family)
          .flatMap(({ plural }) =>
            operations.map((operation) => ({ id, write: `${plural}/${subresource ?? ''} ${operation}` })),
          ),
      ),
    );
    expect(judged.filter(({ write }) => !asked.has(write))).toEqual([]);
  });
});
