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

  test.each<[string, unknown]>([
    ['text', 'x'],
    ['null', null],
    ['a list of text', { conditions: ['x'] }],
  ])('is answered when it is %s', (_, status) => {
    expect(approvalHint({ object: { status }, oldObject: {}, name: 'a', namespace: undefined })).toHaveLength(2);
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
