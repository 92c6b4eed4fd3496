import { describe, expect, test } from '@jest/globals';
import { approvalHint } from '../../src/mutations/approval-hint.js';

const sentence =
  '[approval-has-effect] status is ignored in this write: an approval takes effect only through the status ' +
  'subresource (--subresource=status, or kubectl fleet approve)';
const approve = (status: string): unknown => ({ status: { conditions: [{ type: 'Approved', status }] } });

describe('a status that is sent to the main resource', () => {
  test('is answered with the command that works', () => {
    expect(
      approvalHint({ object: approve('True'), oldObject: {}, name: 'r1-after-canary', namespace: undefined }),
    ).toEqual([
      sentence,
      `Use: kubectl patch clusterapprovalrequests r1-after-canary --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Approved","status":"True"}]}}'`,
    ]);
  });

  test('is answered with the namespace and the status that was meant', () => {
    expect(approvalHint({ object: approve('False'), oldObject: {}, name: 'a', namespace: 'team-a' })).toEqual([
      sentence,
      `Use: kubectl patch approvalrequests a -n team-a --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Approved","status":"False"}]}}'`,
    ]);
  });

  test('is answered without a command that would be cut', () => {
    const name = 'n'.repeat(253);
    expect(approvalHint({ object: approve('True'), oldObject: {}, name, namespace: undefined })).toEqual([sentence]);
  });

  test.each<[string, unknown, string]>([
    ['Approved, in quotes or not', { type: 'Approved', status: true }, 'True'],
    ['Approved as no, in quotes or not', { type: 'Approved', status: false }, 'False'],
    ['Approved as unknown', { type: 'Approved', status: 'Unknown' }, 'Unknown'],
    ['approved in small letters', { type: 'approved', status: 'true' }, 'True'],
    ['the note of the controller', { type: 'ApprovalAccepted', status: 'True' }, 'True'],
    ['a slip of the finger', { type: 'Aproved', status: 'True' }, 'True'],
  ])('is taken for the answer that it is when it is %s', (_, condition, answer) => {
    const object = { status: { conditions: [{ type: 'Other', status: 'False' }, condition] } };
    const [, command] = approvalHint({ object, oldObject: {}, name: 'a', namespace: undefined });
    expect(command).toContain(`[{"type":"Approved","status":"${answer}"}]`);
  });

  test('is taken for what it says of Approved, whatever it says under other names', () => {
    const conditions = [
      { type: 'ApprovalAccepted', status: 'True' },
      { type: 'Approved', status: 'False' },
    ];
    const [, command] = approvalHint({ object: { status: { conditions } }, oldObject: {}, name: 'a', namespace: 'b' });
    expect(command).toContain('[{"type":"Approved","status":"False"}]');
  });

  const stored = { type: 'Approved', status: 'True', observedGeneration: 1 };
  const accepted = { type: 'ApprovalAccepted', status: 'True' };
  test.each<[string, unknown]>([
    ['text', 'x'],
    ['null', null],
    ['a list of text', { conditions: ['x', null, 5, []] }],
    ['another condition', { conditions: [stored, accepted, { type: 'Reviewed', status: 'True' }] }],
    ['an answer that is none', { conditions: [{ type: 'Approved', status: 'No' }] }],
    ['no answer', { conditions: [{ type: 'Approved' }] }],
    ['an approval taken away', { conditions: [accepted] }],
    ['everything taken away', {}],
    ['a refusal in other words', { conditions: [{ type: 'ApprovalRevoked', status: 'True' }] }],
    ['the opposite', { conditions: [{ type: 'Unapproved', status: 'True' }] }],
    ['a type that is no text', { conditions: [{ type: { toString: 1 }, status: 'True' }] }],
    ['an answer that is no text', { conditions: [{ type: 'Approved', status: { toString: 1 } }] }],
    ['an answer from the prototype of all objects', { conditions: [{ type: 'Approved', status: 'constructor' }] }],
  ])('is answered without a command when it is %s', (_, status) => {
    const oldObject = { status: { conditions: [stored, accepted] } };
    expect(approvalHint({ object: { status }, oldObject, name: 'a', namespace: undefined })).toEqual([sentence]);
  });
});

describe('nothing is said', () => {
  test.each<[string, unknown, unknown]>([
    ['where the status stays', approve('True'), approve('True')],
    ['where no status is sent', { metadata: {} }, approve('True')],
    ['of null', null, null],
  ])('%s', (_, object, oldObject) => {
    expect(approvalHint({ object, oldObject, name: 'a', namespace: undefined })).toEqual([]);
  });
});
