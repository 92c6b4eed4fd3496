import { describe, expect, test } from '@jest/globals';
import {
  defaultPolicy,
  isHubAgent,
  modeOf,
  modeSetting,
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

describe('a default mode', () => {
  const inNamespace = (more: Partial<Policy>, namespace?: string): Mode[] =>
    [strict, soft].map((rule) => modeOf(policyWith(more), rule, namespace));

  test('is the hardest that a rule gets which is not named', () => {
    expect(inNamespace({ defaultMode: 'deny' })).toEqual(['deny', 'warn']);
    expect(inNamespace({ defaultMode: 'warn' })).toEqual(['warn', 'warn']);
    expect(inNamespace({ defaultMode: 'audit' }, 'team-a')).toEqual(['audit', 'audit']);
    expect(inNamespace({ defaultMode: 'off' })).toEqual(['off', 'off']);
    expect(inNamespace({ defaultMode: 'audit', rules: { soft: 'deny' } })).toEqual(['audit', 'deny']);
  });

  test('of a namespace takes the place of that of all, and is no softer than what is off for all', () => {
    const pilot = { namespaces: { pilot: { defaultMode: 'deny', rules: {} } } } as const;
    expect(inNamespace({ defaultMode: 'audit', ...pilot }, 'pilot')).toEqual(['deny', 'warn']);
    expect(inNamespace({ rules: { soft: 'off' }, ...pilot }, 'pilot')).toEqual(['deny', 'off']);
    const quiet = { namespaces: { quiet: { defaultMode: 'audit', rules: { soft: 'warn' } } } } as const;
    expect(inNamespace({ rules: { strict: 'deny' }, ...quiet }, 'quiet')).toEqual(['audit', 'warn']);
    expect(inNamespace({ rules: { strict: 'deny' }, ...quiet }, 'other')).toEqual(['deny', 'warn']);
  });

  const labelled: Partial<Policy> = {
    defaultMode: 'audit',
    namespaces: { named: { rules: { soft: 'off' } } },
    namespaceLabels: [
      { label: 'tier=prod', rules: { strict: 'deny' } },
      { label: 'team=a', defaultMode: 'warn', rules: { strict: 'off' } },
    ],
    labelsOf: (namespace) =>
      namespace === 'unknown' ? undefined : { team: 'a', ...(namespace !== 'a' && { tier: 'prod' }) },
  };

  test.each<[string | undefined, Mode[]]>([
    ['a', ['off', 'warn']],
    ['both', ['deny', 'warn']],
    ['named', ['deny', 'off']],
    ['unknown', ['deny', 'warn']],
    [undefined, ['audit', 'audit']],
  ])('by labels, in %s: the first that says something decides, after the name', (namespace, expected) => {
    expect(inNamespace(labelled, namespace)).toEqual(expected);
  });

  test('of a namespace that nobody has told of yet the hardest that it might have, unless its name says it', () => {
    const policy = { ...labelled, labelsOf: () => undefined };
    expect(inNamespace(policy, 'a')).toEqual(['deny', 'warn']);
    expect(inNamespace(policy, 'named')).toEqual(['deny', 'off']);
    expect(inNamespace({ ...policy, defaultMode: 'deny' }, 'a')).toEqual(['deny', 'warn']);
    expect(inNamespace({ ...labelled, labelsOf: undefined }, 'a')).toEqual(['audit', 'audit']);
  });

  test('says where it comes from', () => {
    const policy = policyWith(labelled);
    const paths = (namespace: string | undefined) =>
      [strict, soft].map((rule) => modeSetting(policy, rule, namespace).path.join('.'));
    expect(paths(undefined)).toEqual(['defaultMode', 'defaultMode']);
    expect(paths('both')).toEqual(['namespaceLabels.0.rules.strict', 'namespaceLabels.1.defaultMode']);
    expect(paths('named')).toEqual(['namespaceLabels.0.rules.strict', 'namespaces.named.rules.soft']);
    expect(modeSetting(defaultPolicy, strict, 'a').path).toEqual([]);
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
