import { describe, expect, test } from '@jest/globals';
import {
  askedExemptions,
  asksForExemption,
  bypassAnnotation,
  guardsGate,
  isBypassTooLong,
} from '../../src/engine/exemption.js';
import { catalogue } from '../../src/rules/index.js';
import { creation, deletion, run, update, type ChangeDraft } from '../support/builders.js';
import { testNow } from '../support/rule-tester.js';
import { changeIn, scopes } from '../support/scopes.js';

const annotated = (text: string) => run('release', { metadata: { annotations: { [bypassAnnotation]: text } } });
const plain = run('release');
const inMinutes = (minutes: number): string => new Date(testNow + minutes * 60_000).toISOString();

describe.each(scopes)('exemptions that an object asks for, $name', (scope) => {
  const asked = (draft: ChangeDraft) => [...askedExemptions(changeIn(scope, draft), testNow).values()];

  test.each<[string, string, readonly object[]]>([
    ['one', 'run-has-clusters: drill', [{ rule: 'run-has-clusters', reason: 'drill' }]],
    [
      'several, each on a line of its own',
      'run-has-clusters: drill: part 1; of 2\n\n  run-finished :again \n',
      [
        { rule: 'run-has-clusters', reason: 'drill: part 1; of 2' },
        { rule: 'run-finished', reason: 'again' },
      ],
    ],
    [
      'no reason',
      'run-has-clusters:',
      [{ rule: 'run-has-clusters', reason: '', flaw: 'the annotation gives no reason' }],
    ],
    [
      'no reason but an end',
      `run-has-clusters: until=${inMinutes(5)}`,
      [{ rule: 'run-has-clusters', reason: '', flaw: 'the annotation gives no reason' }],
    ],
    ['an end that is ahead', `run-finished: drill until=${inMinutes(60)}`, [{ rule: 'run-finished', reason: 'drill' }]],
    [
      'an end that is over',
      `run-finished: drill until=${inMinutes(0)}`,
      [{ rule: 'run-finished', reason: 'drill', flaw: `until=${inMinutes(0)} is over` }],
    ],
    [
      'an end too far ahead',
      `run-finished: drill until=${inMinutes(61)}`,
      [{ rule: 'run-finished', reason: 'drill', flaw: `until=${inMinutes(61)} is more than an hour ahead` }],
    ],
    [
      'an end that is none',
      'run-finished: drill until=$(id)',
      [
        {
          rule: 'run-finished',
          reason: 'drill',
          flaw: 'until="\\u0024(id)" is no time such as 2026-11-19T03:00:00Z',
        },
      ],
    ],
    ['nothing that names a rule', 'please\nall\n*: all\n__proto__: x', []],
    ['more than is read', `run-finished: ${'x'.repeat(5_000)}`, []],
  ])('%s', (_name, text, expected) => {
    expect(asked(creation(annotated(text)))).toEqual(expected);
    expect(asked(update(plain, annotated(text)))).toEqual(expected);
  });

  test('what is longer than is read is known to be', () => {
    expect(isBypassTooLong(changeIn(scope, creation(annotated('x'.repeat(4_096)))))).toBe(false);
    expect(isBypassTooLong(changeIn(scope, creation(annotated('x'.repeat(4_097)))))).toBe(true);
  });

  test('an update is asked by what is written, not by what is stored', () => {
    const removed = changeIn(scope, update(annotated('run-finished: drill'), plain));
    expect(asksForExemption(removed)).toBe(false);
  });

  test.each<[string, (text: string) => ChangeDraft]>([
    ['a deletion', (text) => deletion(annotated(text))],
    ['a write of the status', (text) => update(annotated(text), plain, { subresource: 'status' })],
  ])('%s is asked by what is stored, with an end within the hour', (_name, write) => {
    expect(asked(write(`run-status-owner: drill until=${inMinutes(30)}`))).toEqual([
      { rule: 'run-status-owner', reason: 'drill' },
    ]);
    expect(asked(write('run-status-owner: drill'))).toEqual([
      {
        rule: 'run-status-owner',
        reason: 'drill',
        flaw: 'for this write the annotation has to end with until= and a time within the next hour',
      },
    ]);
  });

  test('a write of the status says nothing by the object that it sends', () => {
    const sent = changeIn(scope, update(plain, annotated('run-status-owner: drill'), { subresource: 'status' }));
    expect(asksForExemption(sent)).toBe(false);
  });
});

test('the rules about gates are those about approvals, and about the status that the hub agent writes', () => {
  expect(catalogue.filter(guardsGate).map(({ id }) => id)).toEqual([
    'run-approval-name-taken',
    'run-status-owner',
    'approval-created-by-controller',
    'approval-conditions',
    'approval-target-alive',
    'approval-has-effect',
    'approval-deleted',
  ]);
});
