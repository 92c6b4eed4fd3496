/** One entry of a webhook's matchConditions: the API server asks the guard only where all of them are true. */
export interface MatchCondition {
  readonly name: string;
  /** CEL over `request`, `object` (null on DELETE) and `oldObject` (null on CREATE). */
  readonly expression: string;
}

/**
 * An expression that fails is a refusal behind failurePolicy Fail, and the guard is never asked. So each one is right for
 * every JSON: a field is read behind has(), and a list or map of the mutating phase, where no schema has been held
 * against it yet, behind type().
 */

/** Stands in an expression for the list of the hub agent's user names; whoever installs the hooks puts it in. */
export const hubAgentUsers = 'HUB_AGENT_USERS';

const isCreation = "request.operation == 'CREATE'";
const isUpdate = "request.operation == 'UPDATE'";
const isThroughAlpha = "request.requestKind.version == 'v1alpha1'";

/** The value at a path, or `otherwise` where a step of it is missing. */
function valueAt(root: string, path: readonly string[], otherwise: string): string {
  const steps = path.map((_, index) => [root, ...path.slice(0, index + 1)].join('.'));
  return `(${steps.map((step) => `has(${step})`).join(' && ')} ? ${steps.at(-1) ?? root} : ${otherwise})`;
}

function differs(path: readonly string[], otherwise: string): string {
  return `${valueAt('object', path, otherwise)} != ${valueAt('oldObject', path, otherwise)}`;
}

const specDiffers = differs(['spec'], 'null');
const stateOf = (root: string): string => valueAt(root, ['spec', 'state'], "'Initialize'");
const becomesRun = `(${stateOf('object')} == 'Run' && ${stateOf('oldObject')} != 'Run')`;
const startsRun = `${isCreation} || ${isThroughAlpha} || ${becomesRun}`;

function approvedOf(root: string): string {
  const conditions = `${root}.status.conditions`;
  const isList =
    `has(${root}.status) && type(${root}.status) == map && ` + `has(${conditions}) && type(${conditions}) == list`;
  return `(${isList} ? ${conditions}.filter(c, type(c) == map && has(c.type) && c.type == 'Approved') : [])`;
}

const approvedDiffers = `${approvedOf('object')} != ${approvedOf('oldObject')}`;
const isUnstamped =
  `${approvedOf('object')}.exists(c, ` +
  '!has(c.observedGeneration) || c.observedGeneration != oldObject.metadata.generation)';

const plumbing = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  // Both of them, where controllers do not run with accounts of their own.
  'system:kube-controller-manager',
];

const notByHubAgent = {
  name: 'not-by-the-hub-agent',
  expression: `!(request.userInfo.username in ${hubAgentUsers})`,
};
const notByPlumbing = {
  name: 'not-by-the-garbage-collector',
  expression: `!(request.userInfo.username in ${JSON.stringify(plumbing).replaceAll('"', "'")})`,
};
const notWhileDeleted = {
  name: 'not-while-being-deleted',
  expression: `${isCreation} || !has(object.metadata.deletionTimestamp)`,
};

/** The conditions of each webhook, by the first part of its name and its phase. */
export const matchConditions = {
  runStarts: [notWhileDeleted, { name: 'starts-a-run', expression: startsRun }],
  runChanges: [
    notByHubAgent,
    notWhileDeleted,
    { name: 'spec-differs', expression: specDiffers },
    { name: 'not-for-run-starts', expression: `!(${startsRun})` },
  ],
  runStatus: [notByHubAgent],
  strategies: [
    notWhileDeleted,
    { name: 'spec-differs', expression: `${isCreation} || ${isThroughAlpha} || ${specDiffers}` },
  ],
  approvalGrants: [notByHubAgent, { name: 'approved-differs', expression: approvedDiffers }],
  approvalChanges: [
    notByHubAgent,
    { name: 'not-for-approval-grants', expression: `${isCreation} || !(${approvedDiffers})` },
  ],
  approvalStamps: [
    notByHubAgent,
    { name: 'approved-differs-or-lacks-its-stamp', expression: `${approvedDiffers} || ${isUnstamped}` },
  ],
  approvalHints: [notByHubAgent, { name: 'status-differs', expression: differs(['status'], 'null') }],
  deletions: [notByHubAgent, notByPlumbing],
  placements: [notByHubAgent, notWhileDeleted, { name: 'spec-differs', expression: specDiffers }],
  memberClusters: [
    notByHubAgent,
    {
      name: 'labels-taints-or-deletion-differ',
      expression: [
        `!(${isUpdate})`,
        differs(['metadata', 'labels'], '{}'),
        differs(['spec', 'taints'], '[]'),
        'has(object.metadata.deletionTimestamp) != has(oldObject.metadata.deletionTimestamp)',
      ].join(' || '),
    },
  ],
  evictions: [],
} as const satisfies Record<string, readonly MatchCondition[]>;
