import { describe, expect, test } from '@jest/globals';
import { floorObjects, type FloorSettings } from '../../src/floor/objects.js';
import { modesAsShipped, type ModeSettings } from '../../src/engine/policy.js';
import { floorPolicies } from '../../src/floor/policy.js';
import { catalogue } from '../../src/rules/index.js';

interface Stored {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly policyName?: string;
    readonly validationActions?: readonly string[];
    readonly matchConstraints?: { readonly resourceRules: readonly { readonly resources: readonly string[] }[] };
    readonly matchResources?: {
      readonly namespaceSelector: { readonly matchExpressions: readonly object[] };
      readonly resourceRules?: readonly { readonly resources: readonly string[] }[];
    };
    readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
    readonly auditAnnotations?: readonly { readonly key: string }[];
    readonly variables?: readonly { readonly name: string; readonly expression: string }[];
    readonly validations?: readonly {
      readonly expression: string;
      readonly reason: string;
      readonly message: string;
    }[];
  };
}

const settings: FloorSettings = {
  prefix: 'stageguard',
  hubAgent: { users: ['system:serviceaccount:fleet-system:hub-agent-sa'], confirmed: 'auto' },
  guard: { namespace: 'fleet-stageguard', serviceAccount: 'stageguard' },
  modes: modesAsShipped,
};
const objectsWith = (more: Partial<FloorSettings> = {}): readonly Stored[] =>
  floorObjects(floorPolicies(catalogue), { ...settings, ...more });
const objectsWithModes = (modes: Partial<ModeSettings>): readonly Stored[] =>
  objectsWith({ modes: { ...modesAsShipped, ...modes } });
const named = (objects: readonly Stored[], kind: string, name: string): Stored | undefined =>
  objects.find((object) => object.kind === kind && object.metadata.name === name);
const policy = 'ValidatingAdmissionPolicy';
const binding = 'ValidatingAdmissionPolicyBinding';

test('every rule that needs nothing but the write and is about strategies, gates or the index has its form', () => {
  expect(floorPolicies(catalogue).map(({ rule, kind }) => `${kind} ${rule}`)).toEqual(
    expect.arrayContaining([
      'shape run-api-version',
      'shape run-snapshot-index',
      'gate run-status-owner',
      'shape strategy-size',
      'shape strategy-stages-present',
      'shape strategy-stage-names-unique',
      'shape strategy-selector-valid',
      'shape strategy-tasks-valid',
      'shape strategy-wait-time',
      'shape strategy-max-concurrency',
      'gate approval-created-by-controller',
      'gate approval-conditions',
    ]),
  );
});

test('a rule about starts keeps no run from being stopped: it judges the moments that it names', () => {
  const index = floorPolicies(catalogue).find(({ rule }) => rule === 'run-snapshot-index');
  expect(index?.resources.map(({ operations }) => operations)).toEqual([['CREATE'], ['UPDATE']]);
  const judged = index?.matchConditions.find(({ name }) => name === 'is-judged')?.expression;
  expect(judged).toContain("== 'Run' && ");
  expect(judged).not.toContain('object.spec : null)');
});

test('a rule with a form reads nothing of the fleet', () => {
  for (const { id, floor, reads } of catalogue) {
    if (floor !== undefined) expect({ id, reads }).toEqual({ id, reads: [] });
  }
});

describe('each policy', () => {
  test.each(
    objectsWith()
      .filter(({ kind }) => kind === policy)
      .map((object) => [object.metadata.name, object] as const),
  )('%s refuses with 403, names its rule and leaves no placeholder', (name, object) => {
    const id = name.replace('stageguard-', '');
    for (const { reason, message } of object.spec.validations ?? []) {
      expect(reason).toBe('Forbidden');
      expect(message).toMatch(new RegExp(`^\\[${id}\\] .*\\.$`));
      expect(message).not.toMatch(/is immutable|immutable field/i);
    }
    expect(JSON.stringify(object)).not.toMatch(/HUB_AGENT|GUARD_IS_ARMED/);
  });
});

test('shape is silent while the guard is armed, and always judged where there is no guard', () => {
  const conditionOf = (objects: readonly Stored[]): string | undefined =>
    named(objects, policy, 'stageguard-strategy-wait-time')?.spec.matchConditions?.[0]?.expression;
  expect(conditionOf(objectsWith())).toContain("!(authorizer.serviceAccount('fleet-stageguard', 'stageguard')");
  expect(conditionOf(objectsWith({ guard: undefined }))).toBe('!(false)');
});

describe('the hub agent is known', () => {
  const knownWith = (hubAgent: FloorSettings['hubAgent']): readonly string[] =>
    (named(objectsWith({ hubAgent }), policy, 'stageguard-run-status-owner')?.spec.variables ?? []).map(
      ({ name, expression }) => `${name}: ${expression.replace(/\.group.*check/, '...')}`,
    );
  const users = ['system:serviceaccount:a:b', 'somebody', 'system:serviceaccount:c:d'];

  test('where any of its accounts may write the status of runs, each asked in an expression of its own', () => {
    expect(knownWith({ users, confirmed: 'auto' })).toEqual([
      "hubAgentIsKnown0: authorizer.serviceAccount('a', 'b')...('update').allowed()",
      "hubAgentIsKnown1: authorizer.serviceAccount('c', 'd')...('update').allowed()",
      'hubAgentIsKnown: variables.hubAgentIsKnown0 || variables.hubAgentIsKnown1',
    ]);
  });
  test('never, where no name is that of an account', () => {
    expect(knownWith({ users: ['somebody'], confirmed: 'auto' })).toEqual(['hubAgentIsKnown: false']);
  });
  test.each([true, false])('%s, where the operator says so', (confirmed) => {
    expect(knownWith({ users, confirmed })).toEqual([`hubAgentIsKnown: ${String(confirmed)}`]);
  });
});

test('deletions are never judged, nor writes to a subresource but the status', () => {
  for (const { resources } of floorPolicies(catalogue)) {
    for (const rule of resources) {
      expect(['CREATE', 'UPDATE']).toEqual(expect.arrayContaining([...rule.operations]));
      for (const resource of rule.resources) expect(resource).toMatch(/^[a-z]+(\/status)?$/);
    }
  }
});

describe('modes', () => {
  const actionOf = (objects: readonly Stored[], name: string): readonly string[] | undefined =>
    named(objects, binding, name)?.spec.validationActions;

  test.each([
    ['deny', ['Deny']],
    ['warn', ['Warn']],
    ['audit', ['Audit']],
  ] as const)('%s', (mode, actions) => {
    expect(
      actionOf(objectsWithModes({ rules: { 'strategy-wait-time': mode } }), 'stageguard-strategy-wait-time'),
    ).toEqual(actions);
  });

  test('off leaves no binding and no policy', () => {
    const names = objectsWithModes({ rules: { 'strategy-wait-time': 'off' } }).map(({ metadata }) => metadata.name);
    expect(names).not.toContain('stageguard-strategy-wait-time');
  });

  test('of one namespace: a binding for it, which names only what lives in namespaces, and none of the other for it', () => {
    const objects = objectsWithModes({ namespaces: { 'team-a': { rules: { 'strategy-wait-time': 'warn' } } } });
    const own = named(objects, binding, 'stageguard-strategy-wait-time.team-a')?.spec;
    expect(own?.validationActions).toEqual(['Warn']);
    expect(own?.matchResources?.resourceRules?.flatMap(({ resources }) => resources)).toEqual([
      'stagedupdatestrategies',
    ]);
    const general = named(objects, binding, 'stageguard-strategy-wait-time')?.spec;
    expect(general?.matchResources?.namespaceSelector.matchExpressions).toEqual([
      { key: 'kubernetes.io/metadata.name', operator: 'NotIn', values: ['team-a'] },
    ]);
  });

  test('off in general and deny in one namespace leaves the policy and one binding', () => {
    const objects = objectsWithModes({
      rules: { 'strategy-wait-time': 'off' },
      namespaces: { 'team-a': { rules: { 'strategy-wait-time': 'deny' } } },
    });
    expect(
      objects
        .filter(({ metadata }) => metadata.name.startsWith('stageguard-strategy-wait-time'))
        .map(({ kind }) => kind),
    ).toEqual([policy, binding]);
  });
});

describe('a default mode', () => {
  const actionsBy = (objects: readonly Stored[]): Record<string, unknown> =>
    Object.fromEntries(
      objects
        .filter(({ kind, spec }) => kind === binding && spec.policyName === 'stageguard-strategy-wait-time')
        .map(({ metadata: { name }, spec }) => [
          name.replace('stageguard-strategy-wait-time', ''),
          [spec.validationActions?.join(), spec.matchResources?.namespaceSelector.matchExpressions],
        ]),
    );
  const name = 'kubernetes.io/metadata.name';

  test('is the hardest that a policy gets whose rule is not named', () => {
    expect(actionsBy(objectsWithModes({ defaultMode: 'audit' }))).toEqual({ '': ['Audit', undefined] });
    const named = objectsWithModes({ defaultMode: 'audit', rules: { 'strategy-wait-time': 'deny' } });
    expect(actionsBy(named)).toEqual({ '': ['Deny', undefined] });
    expect(objectsWithModes({ defaultMode: 'off' })).toEqual([]);
  });

  test('of a namespace, and of labels, goes before that of all; each namespace has one binding', () => {
    const objects = objectsWithModes({
      defaultMode: 'audit',
      namespaces: { pilot: { defaultMode: 'deny', rules: {} }, silent: { rules: {} } },
      namespaceLabels: [
        { label: 'tier=lab', rules: { 'strategy-wait-time': 'off' } },
        { label: 'tier=other', rules: { 'strategy-size': 'off' } },
        { label: 'tier=prod', defaultMode: 'warn', rules: {} },
      ],
    });
    const notPilot = { key: name, operator: 'NotIn', values: ['pilot'] };
    const notLab = { key: 'tier', operator: 'NotIn', values: ['lab'] };
    expect(actionsBy(objects)).toEqual({
      '': ['Audit', [notPilot, notLab, { key: 'tier', operator: 'NotIn', values: ['prod'] }]],
      '.pilot': ['Deny', [{ key: name, operator: 'In', values: ['pilot'] }]],
      '.label.2': ['Warn', [notPilot, notLab, { key: 'tier', operator: 'In', values: ['prod'] }]],
    });
  });
});

describe('who may bypass a rule', () => {
  test('is let through by its policy of a shape, and recorded; the authorizer is asked last', () => {
    const spec = named(objectsWith(), policy, 'stageguard-strategy-wait-time')?.spec;
    const isExempt = spec?.variables?.find(({ name }) => name === 'isExempt')?.expression;
    expect(isExempt).toMatch(
      /^variables\.asksToBypass && authorizer\..*\.name\('strategy-wait-time'\)\.check\('bypass'\)\.allowed\(\)$/,
    );
    for (const { expression } of spec?.validations ?? []) expect(expression).toMatch(/\) \|\| variables\.isExempt$/);
    expect(spec?.auditAnnotations?.map(({ key }) => key)).toEqual(['asks-to-bypass']);
  });

  test('is not heard by a gate; one that the operator lists is left to the guard', () => {
    const gate = named(objectsWith(), policy, 'stageguard-approval-conditions');
    expect(JSON.stringify(gate)).not.toContain('bypass');
    const names = objectsWith({ exemptGates: ['approval-conditions', 'strategy-wait-time'] }).map(
      ({ metadata }) => metadata.name,
    );
    expect(names).not.toContain('stageguard-approval-conditions');
    expect(names).toEqual(expect.arrayContaining(['stageguard-run-status-owner', 'stageguard-strategy-wait-time']));
  });
});

test('kinds that the hub does not serve are left out', () => {
  const objects = objectsWith({ notServedKinds: ['stagedupdatestrategies'] });
  const resources = named(objects, policy, 'stageguard-strategy-wait-time')?.spec.matchConstraints?.resourceRules;
  expect(resources?.flatMap((rule) => rule.resources)).toEqual(['clusterstagedupdatestrategies']);
});
