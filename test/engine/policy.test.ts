import { describe, expect, test } from '@jest/globals';
import {
  defaultPolicy,
  isHubAgent,
  modeOf,
  modes,
  whenUndetermined,
  type Mode,
  type Policy,
} from '../../src/engine/policy.js';

const policyWith = (more: Partial<Policy>): Policy => ({ ...defaultPolicy, ...more });
const strict = { id: 'strict', severity: 'deny' } as const;
const soft = { id: 'soft', severity: 'warn' } as const;

describe('the mode of a rule', () => {
  test('is its own where nobody has set anything', () => {
    expect([modeOf(defaultPolicy, strict, undefined), modeOf(defaultPolicy, soft, 'team-a')]).toEqual(['deny', 'warn']);
  });

  test.each(modes)('is %s where that is set for all', (mode) => {
    const policy = policyWith({ rules: { strict: mode, soft: mode } });
    expect([modeOf(policy, strict, undefined), modeOf(policy, soft, 'team-a')]).toEqual([mode, mode]);
  });

  test('is that of the namespace before that of all, and of no other namespace', () => {
    const policy = policyWith({ rules: { strict: 'warn' }, namespaces: { 'team-a': { rules: { strict: 'off' } } } });
    const modeIn = (namespace: string | undefined): Mode => modeOf(policy, strict, namespace);
    expect([modeIn('team-a'), modeIn('team-b'), modeIn(undefined)]).toEqual(['off', 'warn', 'warn']);
  });

  test('of a rule that the namespace does not name is that of all', () => {
    const policy = policyWith({ rules: { soft: 'deny' }, namespaces: { 'team-a': { rules: { strict: 'off' } } } });
    expect(modeOf(policy, soft, 'team-a')).toBe('deny');
  });

  test.each(['constructor', '__proto__', 'toString'])('is not found in what JavaScript calls %s', (name) => {
    expect(modeOf(defaultPolicy, { id: name, severity: 'deny' }, name)).toBe('deny');
  });
});

describe('a rule that cannot tell', () => {
  test('asks to send again unless something else is set, for all or for it alone', () => {
    const policy = policyWith({ undetermined: { default: 'warn', rules: { strict: 'note' } } });
    expect(whenUndetermined(defaultPolicy, strict)).toBe('retry');
    expect([whenUndetermined(policy, strict), whenUndetermined(policy, soft)]).toEqual(['note', 'warn']);
    expect(whenUndetermined(defaultPolicy, { id: 'constructor' })).toBe('retry');
  });
});

test('the hub agent is who the settings say, to the letter', () => {
  const name = 'system:serviceaccount:fleet-system:hub-agent-sa';
  expect([
    isHubAgent(defaultPolicy, name),
    isHubAgent(defaultPolicy, `${name}x`),
    isHubAgent(defaultPolicy, ''),
  ]).toEqual([true, false, false]);
  const renamed = policyWith({ hubAgent: { users: ['a', 'b'], confirmed: false } });
  expect([isHubAgent(renamed, 'b'), isHubAgent(renamed, name)]).toEqual([true, false]);
});
