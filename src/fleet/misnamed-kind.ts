import { kindOf, kinds, splitApiVersion, storageVersion, type Family, type KindOfFamily } from './kinds.js';
import { isNear, nearest } from './nearest.js';
import { quoted } from './quoted.js';

/** What `apiVersion` and `kind` of a document say where they are meant for us and are not right. */
export interface MisnamedKind {
  readonly field: 'apiVersion' | 'kind';
  readonly message: string;
  readonly fix: string;
  /** The right text of the field, where nothing else has to change. */
  readonly to?: string;
}

/** KubeFleet's other kinds, which nobody here judges. */
const otherKinds: ReadonlySet<string> = new Set([
  'AppliedWork',
  'ClusterResourceEnvelope',
  'ClusterResourceOverride',
  'ClusterResourcePlacementDisruptionBudget',
  'ClusterResourcePlacementStatus',
  'InternalMemberCluster',
  'ResourceEnvelope',
  'ResourceOverride',
  'Work',
]);

/** Kinds whose names other projects use as well: Karmada has a ResourceBinding. */
const sharedNames: ReadonlySet<Family> = new Set<Family>([
  'ApprovalRequest',
  'Binding',
  'ResourceSnapshot',
  'MemberCluster',
]);

const groups: readonly string[] = [...new Set(kinds.map(({ group }) => group))];
const names = kinds.map(({ kind }) => kind);

/** What is wrong with the names of a document that is meant to be of one of our kinds; undefined where it is none, or right. */
export function misnamedKind(apiVersion: unknown, kind: unknown): MisnamedKind | undefined {
  if (!isText(apiVersion)) return isText(kind) ? withoutVersion(kind) : undefined;
  const { group, version } = splitApiVersion(apiVersion);
  if (!isText(kind)) return groups.includes(group) ? withoutKind() : undefined;
  const known = kindOf(apiVersion, kind);
  if (known !== undefined) return known.versions.includes(version) ? undefined : wrongVersion(known, apiVersion);
  if (groups.includes(group)) return wrongKind(group, kind);
  return wrongGroup(group, kind, apiVersion);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function ofName(kind: string): KindOfFamily | undefined {
  return kinds.find((one) => one.kind === kind);
}

function apiVersionOf({ group }: KindOfFamily): string {
  return `${group}/${storageVersion}`;
}

function withoutVersion(kind: string): MisnamedKind | undefined {
  const meant = ofName(nearest(kind, names) ?? '');
  if (meant === undefined) return undefined;
  return { field: 'apiVersion', message: `${quoted(kind)} has no apiVersion`, fix: writeBoth(meant, kind) };
}

function withoutKind(): MisnamedKind {
  const message = 'a document of KubeFleet has no kind';
  return { field: 'kind', message, fix: `Write one of ${names.slice(0, 6).join(', ')} and so on.` };
}

function wrongVersion({ kind, versions, ...known }: KindOfFamily, apiVersion: string): MisnamedKind {
  const message = `${kind} has no version ${quoted(apiVersion)}; KubeFleet serves ${versions.join(', ')}`;
  const to = `${known.group}/${storageVersion}`;
  return { field: 'apiVersion', message, fix: `Write apiVersion: ${to}`, to };
}

function wrongKind(group: string, kind: string): MisnamedKind | undefined {
  if (otherKinds.has(kind)) return undefined;
  const elsewhere = ofName(kind);
  if (elsewhere !== undefined) {
    const message = `${kind} is not of the group ${quoted(group)}`;
    const to = apiVersionOf(elsewhere);
    return { field: 'apiVersion', message, fix: `Write apiVersion: ${to}`, to };
  }
  const near = nearest(kind, [...names, ...otherKinds]);
  const meant = near === undefined ? '' : `; did you mean ${quoted(near)}?`;
  const message = `KubeFleet has no kind ${quoted(kind)}${meant}`;
  const all = names.filter((name) => ofName(name)?.group === group).join(', ');
  if (near === undefined) return { field: 'kind', message, fix: `Kinds of its group: ${all}.` };
  return { field: 'kind', message, fix: `Write kind: ${near}`, to: near };
}

/** Of a group of somebody else only what is named so plainly that it must be ours. */
function wrongGroup(group: string, kind: string, apiVersion: string): MisnamedKind | undefined {
  const looksLikeOurs = group === '' || /kube-?fleet/i.test(group) || groups.some((ours) => isNear(group, ours));
  const near = looksLikeOurs ? nearest(kind, names) : kind;
  const meant = ofName(near ?? '');
  if (meant === undefined || (sharedNames.has(meant.family) && !looksLikeOurs)) return undefined;
  const message = `${quoted(kind)} is not of ${quoted(apiVersion)}; did you mean ${quoted(apiVersionOf(meant))}?`;
  const right = meant.kind === kind ? { to: apiVersionOf(meant) } : {};
  return { field: 'apiVersion', message, fix: writeBoth(meant, kind), ...right };
}

function writeBoth(meant: KindOfFamily, kind: string): string {
  const ofKind = meant.kind === kind ? '' : ` and kind: ${meant.kind}`;
  return `Write apiVersion: ${apiVersionOf(meant)}${ofKind}`;
}
