import { labelParts, modeOf, type Mode, type ModeSettings, type Place } from '../engine/policy.js';
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
  readonly modes: ModeSettings;
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

/** Namespaces that have a mode of a rule of their own: who they are, and who they are not. */
interface OwnMode {
  readonly name: string;
  readonly mode: Mode;
  readonly is: object;
  readonly isNot: object;
}

/** One binding for all that has no mode of its own, and one for each namespace, or label of namespaces, that has. */
function bindingsOf(policy: FloorPolicy, settings: FloorSettings): readonly FloorObject[] {
  const { modes } = settings;
  const rule = { id: policy.rule, severity: policy.mode };
  const named = namesWithMode(rule, modes);
  const labelled = labelsWithMode(rule, modes);
  const others = (own: readonly OwnMode[]): readonly object[] => [
    ...(named.length === 0
      ? []
      : [
          nameIs(
            'NotIn',
            named.map(({ name }) => name),
          ),
        ]),
    ...own.map(({ isNot }) => isNot),
  ];
  const elsewhere = others(labelled);
  const general = bindingOf(policy, settings, {
    name: nameOf(policy, settings),
    mode: modeOf(modes, rule, undefined),
    more: elsewhere.length === 0 ? {} : { matchResources: selecting(elsewhere) },
  });
  const resourceRules = inNamespacesOnly(served(policy.resources, settings));
  const bindingFor = ({ name, mode }: OwnMode, who: readonly object[]): readonly FloorObject[] =>
    bindingOf(policy, settings, {
      name: `${nameOf(policy, settings)}.${name}`,
      mode,
      more: { matchResources: { ...selecting(who), resourceRules } },
    });
  return [
    ...general,
    ...named.flatMap((own) => bindingFor(own, [own.is])),
    // The first label that says something decides.
    ...labelled.flatMap((own, index) => bindingFor(own, [...others(labelled.slice(0, index)), own.is])),
  ];
}

interface RuleWithMode {
  readonly id: string;
  readonly severity: Mode;
}

function says({ rules, defaultMode }: Place, id: string): boolean {
  return defaultMode !== undefined || Object.hasOwn(rules, id);
}

/** In the order of the chart. */
function namesWithMode(rule: RuleWithMode, modes: ModeSettings): readonly OwnMode[] {
  return Object.keys(modes.namespaces)
    .filter((name) => says(modes.namespaces[name] ?? { rules: {} }, rule.id))
    .sort()
    .map((name) => ({
      name,
      mode: modeOf(modes, rule, name),
      is: nameIs('In', [name]),
      isNot: nameIs('NotIn', [name]),
    }));
}

function labelsWithMode(rule: RuleWithMode, modes: ModeSettings): readonly OwnMode[] {
  return modes.namespaceLabels.flatMap((place, index) => {
    if (!says(place, rule.id)) return [];
    const [key, value] = labelParts(place.label);
    // A namespace that has this label, and whose name is in no settings.
    const here = { ...modes, namespaces: {}, namespaceLabels: [place], labelsOf: () => ({ [key]: value }) };
    const mode = modeOf(here, rule, 'any');
    const match = (operator: 'In' | 'NotIn'): object => ({ key, operator, values: [value] });
    // No namespace has a dot in its name.
    return [{ name: `label.${String(index)}`, mode, is: match('In'), isNot: match('NotIn') }];
  });
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

function nameIs(operator: 'In' | 'NotIn', values: readonly string[]): object {
  return { key: 'kubernetes.io/metadata.name', operator, values };
}

function selecting(matchExpressions: readonly object[]): object {
  return { namespaceSelector: { matchExpressions } };
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
