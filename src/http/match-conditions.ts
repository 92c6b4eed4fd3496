import {
  acceptsUnapproved,
  approvedOf,
  becomesRun,
  differs,
  isCreation,
  isThroughAlpha,
  isUpdate,
  notByHubAgent,
  type CelCondition,
} from '../engine/cel.js';

const specDiffers = differs(['spec'], 'null');
const startsRun = `${isCreation} || ${isThroughAlpha} || ${becomesRun}`;

const approvedDiffers = `${approvedOf('object')} != ${approvedOf('oldObject')}`;
const isUnstamped =
  `${approvedOf('object')}.exists(c, ` +
  '!has(c.observedGeneration) || c.observedGeneration != oldObject.metadata.generation)';
const opensGate = `${approvedDiffers} || ${acceptsUnapproved}`;

const plumbing = [
  'system:serviceaccount:kube-system:namespace-controller',
  'system:serviceaccount:kube-system:generic-garbage-collector',
  // Both of them, where controllers do not run with accounts of their own.
  'system:kube-controller-manager',
];

const notByPlumbing = {
  name: 'not-by-the-garbage-collector',
  expression: `!(request.userInfo.username in ${JSON.stringify(plumbing).replaceAll('"', "'")})`,
};
const isDeleted = 'has(object.metadata.deletionTimestamp)';
/** For what has no effect any more once it is being deleted. */
const notWhileDeleted = { name: 'not-while-being-deleted', expression: `${isCreation} || !${isDeleted}` };

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
  // KubeFleet reads a strategy until it is gone, and a finalizer of anybody's can put that off for ever. What a write
  // through v1alpha1 loses of it no longer matters then: finalizers can be removed through every version.
  strategies: [
    {
      name: 'spec-differs',
      expression: `${isCreation} || ${specDiffers} || (${isThroughAlpha} && !${isDeleted})`,
    },
  ],
  approvalGrants: [notByHubAgent, { name: 'opens-a-gate', expression: opensGate }],
  approvalChanges: [notByHubAgent, { name: 'not-for-approval-grants', expression: `${isCreation} || !(${opensGate})` }],
  approvalStamps: [
    notByHubAgent,
    { name: 'approved-differs-or-lacks-its-stamp', expression: `${approvedDiffers} || ${isUnstamped}` },
  ],
  approvalHints: [notByHubAgent, { name: 'status-differs', expression: differs(['status'], 'null') }],
  deletions: [notByHubAgent, notByPlumbing],
  placements: [
    notByHubAgent,
    notWhileDeleted,
    {
      name: 'spec-or-owners-differ',
      expression: `${specDiffers} || ${differs(['metadata', 'ownerReferences'], '[]')}`,
    },
  ],
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
} as const satisfies Record<string, readonly CelCondition[]>;
