import { celText, differs, hubAgentUsers, isCreation, isThroughAlpha, type CelCondition } from '../engine/cel.js';
import type { FloorForm, FloorValidation, Rule, Target } from '../engine/rule.js';
import { sameJson } from '../fleet/json.js';
import { kindsOf, storageVersion } from '../fleet/kinds.js';

/** Stands for an expression that is true while the guard's webhooks are in force; whoever installs it puts it in. */
export const guardIsArmed = 'GUARD_IS_ARMED';

/** Stands for an expression that is true where the names of the hub agent are known to be right. */
export const hubAgentIsKnown = 'HUB_AGENT_IS_KNOWN';

/** A rule that the API server holds by itself. */
export interface FloorPolicy {
  readonly rule: string;
  /** The mode of the rule where nobody has set another. */
  readonly mode: Rule['severity'];
  readonly kind: FloorForm['kind'];
  /** What it is asked about: for a binding of one namespace, only what lives in namespaces. */
  readonly resources: readonly FloorResource[];
  readonly matchConditions: readonly CelCondition[];
  readonly variables: readonly CelCondition[];
  readonly validations: readonly PolicyValidation[];
}

export interface FloorResource {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly resources: readonly string[];
  readonly operations: readonly string[];
}

interface PolicyValidation {
  readonly expression: string;
  /** With any other reason the API server answers 422, which makes Flux delete and re-create what it may force. */
  readonly reason: 'Forbidden';
  readonly message: string;
  readonly messageExpression?: string;
}

/** The rules of a catalogue that have a CEL form, as policies. */
export function floorPolicies(rules: readonly Rule[]): readonly FloorPolicy[] {
  return rules.flatMap((rule) => (rule.floor === undefined ? [] : [policyOf(rule, rule.floor)]));
}

/**
 * What was stored before the guard came must stay writable, so an update is judged where it changes the spec. A write
 * through v1alpha1 changes what it does not name, and the stored object comes without it as well.
 */
function isJudged({ judges }: Rule, { updates }: FloorForm): CelCondition {
  const always = judges === 'write' ? [isThroughAlpha] : [];
  return { name: 'is-judged', expression: [isCreation, ...always, updates ?? differs(['spec'], 'null')].join(' || ') };
}

function policyOf(rule: Rule, form: FloorForm): FloorPolicy {
  const { kind, premise, updates, variables = [], validations } = form;
  const known: CelCondition = { name: 'hubAgentIsKnown', expression: hubAgentIsKnown };
  return {
    rule: rule.id,
    mode: rule.severity,
    kind,
    // All other updates must pass, a stop among them.
    resources: resourcesOf(rule.appliesTo.filter(({ only }) => only === undefined || updates !== undefined)),
    matchConditions: [
      ...(kind === 'gate'
        ? []
        : [{ name: 'guard-is-out-of-force', expression: `!(${guardIsArmed})` }, isJudged(rule, form)]),
      ...(premise === undefined ? [] : [premise]),
    ],
    variables: kind === 'gate' ? [known, ...variables] : variables,
    validations: validations.map((validation) => validationOf(rule.id, kind, validation)),
  };
}

/** Several moments of an update make one rule of it. */
function resourcesOf(targets: readonly Target[]): readonly FloorResource[] {
  const rules = targets.map(resourceOf);
  return rules.filter((rule, index) => rules.findIndex((other) => sameJson(rule, other)) === index);
}

function resourceOf({ family, operations, subresource }: Target): FloorResource {
  const kinds = kindsOf(family);
  return {
    apiGroups: [...new Set(kinds.map(({ group }) => group))],
    apiVersions: [storageVersion],
    resources: kinds.map(({ plural }) => (subresource === undefined ? plural : `${plural}/${subresource}`)),
    operations,
  };
}

/** Under another name than configured the hub agent itself would be refused, and every rollout would stand still. */
const isOfHubAgent = `request.userInfo.username in ${hubAgentUsers} || !variables.hubAgentIsKnown`;

function validationOf(id: string, kind: FloorForm['kind'], validation: FloorValidation): PolicyValidation {
  const { expression, message, where, forEveryone } = validation;
  const isNarrowed = kind === 'gate' && forEveryone !== true;
  return {
    expression: isNarrowed ? `${isOfHubAgent} || (${expression})` : expression,
    reason: 'Forbidden',
    message: `[${id}] ${message}`,
    ...(where !== undefined && { messageExpression: `${celText(`[${id}] `)} + ${where} + ${celText(message)}` }),
  };
}
