import type { Mode } from '../engine/policy.js';
import { celText, hubAgentUsers, type CelCondition } from '../engine/cel.js';
import { kindIn, kinds } from '../fleet/kinds.js';
import { serviceAccountOf, type ServiceAccountName } from '../fleet/service-account.js';
import { guardIsArmed, hubAgentIsKnown, type FloorPolicy, type FloorResource } from './policy.js';

/** What differs from hub to hub. */
export interface FloorSettings {
  /** The name of the release: before the id of a rule in the names of its objects, and in their labels. */
  readonly prefix: string;
  readonly hubAgent: { readonly users: readonly string[]; readonly confirmed: 'auto' | boolean };
  /** The account whose right puts the webhooks in force; undefined for a hub that has the floor alone. */
  readonly guard: { readonly namespace: string; readonly serviceAccount: string } | undefined;
  readonly modes: Readonly<Record<string, Mode>>;
  readonly namespaces: Readonly<Record<string, Readonly<Record<string, Mode>>>>;
  /** Gates that the operator lets be bypassed: that takes a clock, which the floor has not, so the guard alone holds them. */
  readonly exemptGates?: readonly string[];
  /** Kinds, by plural, that the hub does not serve. */
  readonly notServedKinds?: readonly string[];
}

const apiVersion = 'admissionregistration.k8s.io/v1';

/** A policy or a binding, as the API server takes it. */
export interface FloorObject {
  readonly apiVersion: string;
  readonly kind: 'ValidatingAdmissionPolicy' | 'ValidatingAdmissionPolicyBinding';
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** By which everything of a release is found. */
export function labelsOf(release: string): Readonly<Record<string, string>> {
  return { 'app.kubernetes.io/name': 'stageguard', 'app.kubernetes.io/instance': release };
}

/** The policies, each followed by its bindings. */
export function floorObjects(policies: readonly FloorPolicy[], settings: FloorSettings): readonly FloorObject[] {
  const { exemptGates = [] } = settings;
  const held = policies.filter(({ kind, rule }) => kind === 'shape' || !exemptGates.includes(rule));
  return held.flatMap((policy) => {
    const bindings = bindingsOf(policy, settings);
    return bindings.length === 0 ? [] : [policyObject(policy, settings), ...bindings];
  });
}

function policyObject(policy: FloorPolicy, settings: FloorSettings): FloorObject {
  const filled = <T extends { readonly expression: string }>(part: T): T => ({
    ...part,
    expression: fill(part.expression, settings),
  });
  const expanded = (variable: CelCondition): readonly CelCondition[] =>
    variable.expression === hubAgentIsKnown ? knownVariables(variable.name, settings) : [filled(variable)];
  return {
    apiVersion,
    kind: 'ValidatingAdmissionPolicy',
    metadata: metadataOf(nameOf(policy, settings), settings),
    spec: {
      // No expression fails, and where one did, a gate that is open would be worse than one that is closed.
      failurePolicy: 'Fail',
      matchConstraints: { matchPolicy: 'Equivalent', resourceRules: served(policy.resources, settings) },
      ...(policy.matchConditions.length > 0 && { matchConditions: policy.matchConditions.map(filled) }),
      ...(policy.variables.length > 0 && { variables: policy.variables.flatMap(expanded) }),
      validations: policy.validations.map(filled),
      ...(policy.auditAnnotations !== undefined && { auditAnnotations: policy.auditAnnotations }),
    },
  };
}

/** One binding for all that no namespace has a mode of its own for, and one for each namespace that has. */
function bindingsOf(policy: FloorPolicy, settings: FloorSettings): readonly FloorObject[] {
  // In the order of the chart.
  const own = Object.entries(settings.namespaces)
    .flatMap(([namespace, modes]) => {
      const mode = modes[policy.rule];
      return mode === undefined ? [] : [{ namespace, mode }];
    })
    .sort((one, other) => (one.namespace < other.namespace ? -1 : 1));
  const elsewhere =
    own.length === 0
      ? {}
      : {
          matchResources: inNamespaces(
            'NotIn',
            own.map(({ namespace }) => namespace),
          ),
        };
  const general = bindingOf(policy, settings, {
    name: nameOf(policy, settings),
    mode: settings.modes[policy.rule] ?? policy.mode,
    more: elsewhere,
  });
  const resourceRules = inNamespacesOnly(served(policy.resources, settings));
  const ofNamespaces = own.flatMap(({ namespace, mode }) =>
    bindingOf(policy, settings, {
      name: `${nameOf(policy, settings)}.${namespace}`,
      mode,
      more: { matchResources: { ...inNamespaces('In', [namespace]), resourceRules } },
    }),
  );
  return [...general, ...ofNamespaces];
}

interface Binding {
  readonly name: string;
  readonly mode: Mode;
  readonly more: object;
}

const actions: Readonly<Record<Mode, string | undefined>> = {
  deny: 'Deny',
  warn: 'Warn',
  audit: 'Audit',
  off: undefined,
};

function bindingOf(
  policy: FloorPolicy,
  settings: FloorSettings,
  { name, mode, more }: Binding,
): readonly FloorObject[] {
  const action = actions[mode];
  if (action === undefined) return [];
  return [
    {
      apiVersion,
      kind: 'ValidatingAdmissionPolicyBinding',
      metadata: metadataOf(name, settings),
      spec: { policyName: nameOf(policy, settings), validationActions: [action], ...more },
    },
  ];
}

function metadataOf(name: string, { prefix }: FloorSettings): FloorObject['metadata'] {
  return { name, labels: labelsOf(prefix) };
}

function inNamespaces(operator: 'In' | 'NotIn', values: readonly string[]): object {
  return { namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator, values }] } };
}

const namespaced = new Set(kinds.filter((kind) => kind.namespaced).map(({ plural }) => plural));
const pluralOf = (resource: string): string => resource.split('/')[0] ?? '';

/** A selector of namespaces also matches what lives in none. */
function inNamespacesOnly(resources: readonly FloorResource[]): readonly FloorResource[] {
  return narrowed(resources, (plural) => namespaced.has(plural));
}

function served(resources: readonly FloorResource[], { notServedKinds = [] }: FloorSettings): readonly FloorResource[] {
  return narrowed(resources, (plural) => !notServedKinds.includes(plural));
}

function narrowed(resources: readonly FloorResource[], isKept: (plural: string) => boolean): readonly FloorResource[] {
  return resources
    .map((rule) => ({ ...rule, resources: rule.resources.filter((resource) => isKept(pluralOf(resource))) }))
    .filter((rule) => rule.resources.length > 0);
}

function nameOf({ rule }: FloorPolicy, { prefix }: FloorSettings): string {
  return `${prefix}-${rule}`;
}

function fill(expression: string, settings: FloorSettings): string {
  return expression
    .replaceAll(hubAgentUsers, JSON.stringify(settings.hubAgent.users))
    .replaceAll(guardIsArmed, armedExpression(settings));
}

function armedExpression({ guard }: FloorSettings): string {
  if (guard === undefined) return 'false';
  const { namespace, serviceAccount } = guard;
  return (
    `authorizer.serviceAccount(${celText(namespace)}, ${celText(serviceAccount)}).group('stageguard.io').resource('hooks')` +
    `.namespace(${celText(namespace)}).check('answer').allowed()`
  );
}

/**
 * Any of the configured accounts that may write the status of runs; a wrong name must never stop a hub. Each is a variable
 * of its own: three such questions in one expression are more than the API server lets one cost.
 */
function knownVariables(name: string, { hubAgent }: FloorSettings): readonly CelCondition[] {
  if (hubAgent.confirmed !== 'auto') return [{ name, expression: String(hubAgent.confirmed) }];
  const accounts = hubAgent.users
    .flatMap((user) => serviceAccountOf(user) ?? [])
    .map((account, index) => ({ name: `${name}${String(index)}`, expression: mayWriteStatus(account) }));
  const anyOfThem = accounts.map((account) => `variables.${account.name}`).join(' || ');
  return [...accounts, { name, expression: anyOfThem === '' ? 'false' : anyOfThem }];
}

function mayWriteStatus({ namespace, name }: ServiceAccountName): string {
  const { group, plural } = kindIn('UpdateRun', undefined);
  return (
    `authorizer.serviceAccount(${celText(namespace)}, ${celText(name)}).group('${group}').resource('${plural}')` +
    `.subresource('status').check('update').allowed()`
  );
}
