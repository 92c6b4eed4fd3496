import { celText, differs, hubAgentUsers, isCreation, isThroughAlpha, type CelCondition } from '../engine/cel.js';
import { bypassAnnotation, bypassRight, longestBypass } from '../engine/exemption.js';
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
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
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
  const isShape = kind === 'shape';
  return {
    rule: rule.id,
    mode: rule.severity,
    kind,
    // All other updates must pass, a stop among them.
    resources: resourcesOf(rule.appliesTo.filter(({ only }) => only === undefined || updates !== undefined)),
    matchConditions: [
      ...(isShape ? [{ name: 'guard-is-out-of-force', expression: `!(${guardIsArmed})` }, isJudged(rule, form)] : []),
      ...(premise === undefined ? [] : [premise]),
    ],
    variables: [...(isShape ? exemptionFrom(rule.id) : [known]), ...variables],
    validations: validations.map((validation) => validationOf(rule.id, kind, validation)),
    // Nothing is recorded of an empty text. The authorizer cannot be asked here.
    ...(isShape && {
      auditAnnotations: [{ key: 'asks-to-bypass', valueExpression: `variables.asksToBypass ? string(${bypass}) : ''` }],
    }),
  };
}

const bypass = `object.metadata.annotations[${celText(bypassAnnotation)}]`;

/**
 * The object names the rule with a reason, and whoever writes may bypass it: as src/guard/exempting.ts has it. There is no
 * clock here, so that a line with an end to it does not count. The authorizer is asked last, since that costs most.
 */
function exemptionFrom(rule: string): readonly CelCondition[] {
  const { group, resource, verb } = bypassRight;
  const line = celText(`^\\s*${rule}\\s*:\\s*\\S`);
  const asks = [
    // A write of the status carries no annotation of its own.
    `(!has(request.subResource) || request.subResource == '')`,
    `has(object.metadata.annotations) && ${celText(bypassAnnotation)} in object.metadata.annotations`,
    `size(${bypass}) <= ${String(longestBypass)}`,
    `${bypass}.split('\\n').exists(line, line.matches(${line}) && !line.contains('until='))`,
  ].join(' && ');
  const mayBypass =
    `authorizer.group(${celText(group)}).resource(${celText(resource)})` +
    `.namespace(has(object.metadata.namespace) ? object.metadata.namespace : '')` +
    `.name(${celText(rule)}).check(${celText(verb)}).allowed()`;
  return [
    { name: 'asksToBypass', expression: asks },
    { name: 'isExempt', expression: `variables.asksToBypass && ${mayBypass}` },
  ];
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
  const judged = isNarrowed ? `${isOfHubAgent} || (${expression})` : expression;
  return {
    expression: kind === 'shape' ? `(${expression}) || variables.isExempt` : judged,
    reason: 'Forbidden',
    message: `[${id}] ${message}`,
    ...(where !== undefined && { messageExpression: `${celText(`[${id}] `)} + ${where} + ${celText(message)}` }),
  };
}
