/** One kind of a family, as the API server serves it. */
export interface Kind {
  readonly kind: string;
  readonly plural: string;
  readonly versions: readonly string[];
}

/** A kind and its twin in the other scope, as one API group has them; rules speak of families, never of kinds. */
interface FamilyRow {
  readonly group: Group;
  readonly cluster?: Kind;
  readonly namespaced?: Kind;
}

const placementGroup = 'placement.kubernetes-fleet.io';
const clusterGroup = 'cluster.kubernetes-fleet.io';

/** The API groups whose kinds are known; what their fields are called is in `decode`. */
export type Group = typeof placementGroup | typeof clusterGroup;

const allVersions = ['v1', 'v1beta1', 'v1alpha1'] as const;
const twoVersions = ['v1', 'v1beta1'] as const;

const table = {
  UpdateRun: [
    {
      group: placementGroup,
      cluster: { kind: 'ClusterStagedUpdateRun', plural: 'clusterstagedupdateruns', versions: allVersions },
      namespaced: { kind: 'StagedUpdateRun', plural: 'stagedupdateruns', versions: twoVersions },
    },
  ],
  UpdateStrategy: [
    {
      group: placementGroup,
      cluster: { kind: 'ClusterStagedUpdateStrategy', plural: 'clusterstagedupdatestrategies', versions: allVersions },
      namespaced: { kind: 'StagedUpdateStrategy', plural: 'stagedupdatestrategies', versions: twoVersions },
    },
  ],
  ApprovalRequest: [
    {
      group: placementGroup,
      cluster: { kind: 'ClusterApprovalRequest', plural: 'clusterapprovalrequests', versions: allVersions },
      namespaced: { kind: 'ApprovalRequest', plural: 'approvalrequests', versions: twoVersions },
    },
  ],
  Placement: [
    {
      group: placementGroup,
      cluster: { kind: 'ClusterResourcePlacement', plural: 'clusterresourceplacements', versions: twoVersions },
      namespaced: { kind: 'ResourcePlacement', plural: 'resourceplacements', versions: twoVersions },
    },
  ],
  ResourceSnapshot: [
    {
      group: placementGroup,
      cluster: { kind: 'ClusterResourceSnapshot', plural: 'clusterresourcesnapshots', versions: twoVersions },
      namespaced: { kind: 'ResourceSnapshot', plural: 'resourcesnapshots', versions: ['v1beta1'] },
    },
  ],
  PolicySnapshot: [
    {
      group: placementGroup,
      cluster: {
        kind: 'ClusterSchedulingPolicySnapshot',
        plural: 'clusterschedulingpolicysnapshots',
        versions: twoVersions,
      },
      namespaced: { kind: 'SchedulingPolicySnapshot', plural: 'schedulingpolicysnapshots', versions: ['v1beta1'] },
    },
  ],
  Binding: [
    {
      group: placementGroup,
      cluster: { kind: 'ClusterResourceBinding', plural: 'clusterresourcebindings', versions: twoVersions },
      namespaced: { kind: 'ResourceBinding', plural: 'resourcebindings', versions: ['v1beta1'] },
    },
  ],
  MemberCluster: [
    {
      group: clusterGroup,
      cluster: { kind: 'MemberCluster', plural: 'memberclusters', versions: twoVersions },
    },
  ],
  Eviction: [
    {
      group: placementGroup,
      cluster: {
        kind: 'ClusterResourcePlacementEviction',
        plural: 'clusterresourceplacementevictions',
        versions: ['v1beta1', 'v1alpha1'],
      },
    },
  ],
  OverrideSnapshot: [
    {
      group: placementGroup,
      cluster: {
        kind: 'ClusterResourceOverrideSnapshot',
        plural: 'clusterresourceoverridesnapshots',
        versions: allVersions,
      },
      namespaced: { kind: 'ResourceOverrideSnapshot', plural: 'resourceoverridesnapshots', versions: allVersions },
    },
  ],
} as const satisfies Record<string, readonly FamilyRow[]>;

/** The families that a staged rollout is made of, and what can pull a cluster from under it. */
export type Family = keyof typeof table;

/** The families that a group has kinds of. */
export type FamilyOf<G extends Group> = {
  [F in Family]: G extends (typeof table)[F][number]['group'] ? F : never;
}[Family];

/** Every family, in the order of the table. */
export const families = Object.keys(table) as readonly Family[];

/** The version that KubeFleet's controllers read and the API server stores. */
export const storageVersion = 'v1beta1';

/** The oldest version; its schemas lack fields, and the API server drops from the stored object what they lack. */
export const lossyVersion = 'v1alpha1';

/** Which family and scope a kind belongs to. */
export interface KindOfFamily extends Kind {
  readonly family: Family;
  readonly group: Group;
  readonly namespaced: boolean;
}

function rows(family: Family): readonly KindOfFamily[] {
  const served: readonly FamilyRow[] = table[family];
  return served.flatMap(({ group, cluster, namespaced }) => [
    ...(cluster ? [{ ...cluster, family, group, namespaced: false }] : []),
    ...(namespaced ? [{ ...namespaced, family, group, namespaced: true }] : []),
  ]);
}

const byFamily = new Map(families.map((family) => [family, rows(family)]));

/** A kind and its twin. */
export function kindsOf(family: Family): readonly KindOfFamily[] {
  return byFamily.get(family) ?? [];
}

/** All kinds of all families. */
export const kinds: readonly KindOfFamily[] = families.flatMap(kindsOf);

const byGroupKind = new Map(kinds.map((kind) => [`${kind.group}/${kind.kind}`, kind]));
const byGroupPlural = new Map(kinds.map((kind) => [`${kind.group}/${kind.plural}`, kind]));

/** The kind that `apiVersion` and `kind` of a manifest name, or undefined for kinds of others. */
export function kindOf(apiVersion: string, kind: string): KindOfFamily | undefined {
  return byGroupKind.get(`${splitApiVersion(apiVersion).group}/${kind}`);
}

/** The kind that a resource of an AdmissionReview names. */
export function kindOfResource(group: string, plural: string): KindOfFamily | undefined {
  return byGroupPlural.get(`${group}/${plural}`);
}

/** The twin of a family that lives in the given scope; a family with one scope has no twin. */
export function kindIn(family: Family, namespace: string | undefined): KindOfFamily {
  const all = kindsOf(family);
  const wanted = all.find((kind) => kind.namespaced === (namespace !== undefined)) ?? all[0];
  if (wanted === undefined) throw new Error(`family ${family} has no kind`);
  return wanted;
}

/** The namespace under which objects of a family are found from an object that lives in `namespace`. */
export function scopeOf(family: Family, namespace: string | undefined): string | undefined {
  return kindIn(family, namespace).namespaced ? namespace : undefined;
}

/** Splits `group/version`; the core group has no slash. */
export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

/** What is no name of an object stands for none, and in the path of a request would lead elsewhere: `..`. */
export function isObjectName(name: string): boolean {
  return name.length <= 253 && /^[a-z0-9]/.test(name) && /^[-.a-z0-9]+$/.test(name);
}
