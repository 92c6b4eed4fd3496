import { expect } from '@jest/globals';
import type { Condition } from '../harness/hub-objects.js';
import { byApplyPatch, byJsonPatch, byKubectlApply, byMergePatch, byPut, type Send } from './senders.js';

/** One way in which people and programs write an approval. */
export interface Way {
  readonly how: string;
  /** The conditions that the request has before; `undefined` where it has no status yet. */
  readonly before?: readonly Condition[];
  readonly isLeaving?: boolean;
  readonly send: Send;
  /** What comes of it without a guard: the API server refuses it, the controller ignores it, or it happens to be right. */
  readonly unguarded: 'refused' | 'ignored' | 'right';
  /** What the guard says it has stamped. */
  readonly stamped?: { readonly was?: string; readonly filled?: readonly string[]; readonly putBack?: true };
  /** The condition that is stored, but for its generation and for what the guard has filled in. */
  readonly stored?: Partial<Condition>;
}

const time = '2026-11-17T03:04:05Z';
const approved = {
  type: 'Approved',
  status: 'True',
  reason: 'approved',
  message: 'approved',
  lastTransitionTime: time,
};
const bare = { type: 'Approved', status: 'True' };
export const accepted: Condition = {
  ...{ type: 'ApprovalAccepted', status: 'True', reason: 'ApprovalRequestApprovalAccepted' },
  ...{ message: 'The approval request has been approved and cannot be reverted', observedGeneration: 1 },
  lastTransitionTime: '2026-11-16T03:04:05Z',
};
const refusedBefore: Condition = { ...approved, status: 'False', reason: 'NotYet', observedGeneration: 1 };
const misspelt: Condition = { ...approved, type: 'approved' };

/** KubeFleet tools/fleet/cmd/approve/approve.go: the generation is that of the object it has read. */
const byPlugin = byPut(({ generation }) => ({ ...approved, observedGeneration: generation }));

function generationOf(how: string, observedGeneration: unknown, more: Pick<Way, 'unguarded'> & { was: string }): Way {
  const send = byMergePatch({ ...approved, observedGeneration });
  return { how: `merge patch with ${how}`, send, unguarded: more.unguarded, stamped: { was: more.was } };
}

const all = ['lastTransitionTime', 'reason', 'message'];
const absent = { was: 'absent' };

export const ways: readonly Way[] = [
  { how: 'the documented merge patch', send: byMergePatch({ ...approved, observedGeneration: 1 }), unguarded: 'right' },
  { how: 'merge patch without a generation', send: byMergePatch(approved), unguarded: 'ignored', stamped: absent },
  generationOf('generation 0', 0, { unguarded: 'ignored', was: '0' }),
  generationOf('a generation ahead', 2, { unguarded: 'ignored', was: '2' }),
  generationOf('a huge generation', Number.MAX_SAFE_INTEGER, { unguarded: 'ignored', was: '9007199254740991' }),
  generationOf('a generation beyond all integers', 1e300, { unguarded: 'refused', was: '1e+300' }),
  generationOf('a negative generation', -1, { unguarded: 'refused', was: '-1' }),
  generationOf('a broken generation', 1.5, { unguarded: 'refused', was: '1.5' }),
  generationOf('a generation in quotes', '1', { unguarded: 'refused', was: '"1"' }),
  // The API server leaves out what is null and may not be.
  generationOf('a generation of null', null, { unguarded: 'ignored', was: 'absent' }),
  generationOf('an object for a generation', {}, { unguarded: 'refused', was: '{}' }),
  {
    how: 'merge patch with the generation from before the request was deleted',
    isLeaving: true,
    send: byMergePatch({ ...approved, observedGeneration: 1 }),
    unguarded: 'ignored',
    stamped: { was: '1' },
  },
  {
    how: 'merge patch with type and status alone',
    send: byMergePatch(bare),
    unguarded: 'refused',
    stamped: { was: 'absent', filled: all },
  },
  {
    how: 'merge patch with the zero values of Go',
    send: byMergePatch({ ...bare, reason: '', message: '', lastTransitionTime: null, observedGeneration: 0 }),
    unguarded: 'refused',
    stamped: { was: '0', filled: ['lastTransitionTime', 'reason'] },
    stored: { message: '' },
  },
  {
    how: 'merge patch that drops what the controller has noted',
    before: [accepted],
    send: byMergePatch(bare),
    unguarded: 'refused',
    stamped: { was: 'absent', filled: all, putBack: true },
  },
  {
    how: 'merge patch that is right but drops what the controller has noted',
    before: [refusedBefore, accepted],
    send: byMergePatch({ ...approved, observedGeneration: 1 }),
    // The gate opens, yet the object no longer says that it did.
    unguarded: 'right',
    stamped: { putBack: true },
  },
  {
    how: 'JSON patch that adds a status',
    send: byJsonPatch('add', '/status', { conditions: [approved] }),
    unguarded: 'ignored',
    stamped: absent,
  },
  {
    how: 'JSON patch that adds the list',
    before: [],
    send: byJsonPatch('add', '/status/conditions', [bare]),
    unguarded: 'refused',
    stamped: { was: 'absent', filled: all },
  },
  {
    how: 'JSON patch that adds to the list',
    before: [misspelt],
    send: byJsonPatch('add', '/status/conditions/-', approved),
    unguarded: 'ignored',
    stamped: absent,
  },
  {
    how: 'JSON patch that replaces an entry',
    before: [misspelt, refusedBefore, accepted],
    send: byJsonPatch('replace', '/status/conditions/1', { ...approved, observedGeneration: 0 }),
    unguarded: 'ignored',
    stamped: { was: '0' },
  },
  {
    how: 'JSON patch that replaces the status of an entry of the right generation',
    before: [refusedBefore],
    send: byJsonPatch('replace', '/status/conditions/0/status', 'True'),
    unguarded: 'right',
    stored: { reason: 'NotYet' },
  },
  {
    how: 'PUT of what was read before, without a generation',
    before: [misspelt],
    send: byPut(() => approved),
    unguarded: 'ignored',
    stamped: absent,
  },
  {
    how: 'PUT of hardly more than the status',
    send: byPut(
      () => bare,
      ({ name, resourceVersion }) => ({ name, resourceVersion, generation: 99, labels: { a: 'b' } }),
    ),
    unguarded: 'refused',
    stamped: { was: 'absent', filled: all },
  },
  { how: 'kubectl fleet approve: GET, then PUT', before: [misspelt], send: byPlugin, unguarded: 'right' },
  {
    how: 'server-side apply of type and status',
    send: byApplyPatch(bare),
    unguarded: 'refused',
    stamped: { was: 'absent', filled: all },
  },
  {
    how: 'server-side apply beside what others have written',
    before: [misspelt, accepted],
    send: byApplyPatch(approved),
    unguarded: 'ignored',
    stamped: absent,
  },
  {
    how: 'kubectl apply --server-side --subresource=status',
    send: byKubectlApply(bare),
    unguarded: 'refused',
    stamped: { was: 'absent', filled: all },
  },
];

/** What a way leaves in the store where a guard is there. */
export function conditionBy({ stamped, stored }: Way, generation: number): object {
  const filled = new Set(stamped?.filled);
  return {
    ...approved,
    ...(filled.has('reason') && { reason: 'Approved' }),
    ...(filled.has('message') && { message: 'Approved by alice' }),
    ...(filled.has('lastTransitionTime') && { lastTransitionTime: expect.any(String) }),
    ...stored,
    observedGeneration: generation,
  };
}

/** What a way is told by the guard, line by line. */
export function warningsFor({ stamped }: Way, generation: number): readonly string[] {
  const { was, filled = [], putBack } = stamped ?? {};
  const done = [
    ...(was === undefined ? [] : [`set observedGeneration to ${generation} (it was ${was})`]),
    ...(filled.length === 0 ? [] : [`filled ${filled.join(', ')}`]),
  ];
  return [
    ...(done.length === 0
      ? []
      : [`[stamp-approval] condition Approved: ${done.join('; ')}, so that the controller accepts it`]),
    ...(putBack === true
      ? ['[stamp-approval] put back condition ApprovalAccepted, which this write would have dropped']
      : []),
  ];
}
