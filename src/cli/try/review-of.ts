import { randomUUID } from 'node:crypto';
import type { Operation } from '../../engine/change.js';
import { reviewVersion } from '../../http/admission-review.js';
import { fieldOf, isObject, sameJson } from '../../fleet/json.js';
import { splitApiVersion, storageVersion, type KindOfFamily } from '../../fleet/kinds.js';

type Json = Readonly<Record<string, unknown>>;

/** A manifest on its way to the API server. */
export interface ManifestWrite {
  readonly kind: KindOfFamily;
  readonly json: Json;
  readonly stored: Json | undefined;
  readonly operation: Operation;
  readonly subresource: 'status' | undefined;
  readonly user: string;
  readonly dryRun: boolean;
}

export interface Identity {
  readonly name: string;
  readonly namespace: string | undefined;
}

/** The name and namespace under which the API server would store a manifest. */
export function identityOf(kind: KindOfFamily, json: Json): Identity {
  const { name, generateName, namespace } = metadataOf(json);
  // The API server adds five characters of its own.
  const generated = typeof generateName === 'string' ? `${generateName}${randomUUID().slice(0, 5)}` : '';
  return {
    name: typeof name === 'string' ? name : generated,
    namespace: kind.namespaced
      ? typeof namespace === 'string' && namespace !== ''
        ? namespace
        : 'default'
      : undefined,
  };
}

/** The AdmissionReview that the API server would send for a write. */
export function reviewOf(write: ManifestWrite, identity: Identity): Json {
  const { kind, json, operation, subresource, stored } = write;
  const { group, plural } = kind;
  const { version } = splitApiVersion(String(json['apiVersion']));
  const named = { group, version: storageVersion };
  return {
    apiVersion: reviewVersion,
    kind: 'AdmissionReview',
    request: {
      uid: randomUUID(),
      kind: { ...named, kind: kind.kind },
      resource: { ...named, resource: plural },
      requestKind: { group, version, kind: kind.kind },
      requestResource: { group, version, resource: plural },
      ...(subresource === undefined ? {} : { subResource: subresource, requestSubResource: subresource }),
      name: identity.name,
      ...(identity.namespace === undefined ? {} : { namespace: identity.namespace }),
      operation,
      userInfo: { username: write.user, groups: ['system:authenticated'] },
      object: operation === 'DELETE' ? null : objectAfter(write, identity),
      oldObject: operation === 'CREATE' ? null : (stored ?? null),
      dryRun: write.dryRun,
    },
  };
}

function objectAfter({ json, stored, kind, subresource }: ManifestWrite, identity: Identity): Json {
  if (subresource !== undefined && stored !== undefined) return { ...stored, status: json['status'] ?? null };
  const apiVersion = `${kind.group}/${storageVersion}`;
  const metadata = {
    uid: randomUUID(),
    ...metadataOf(stored),
    ...metadataOf(json),
    ...(identity.namespace === undefined ? {} : { namespace: identity.namespace }),
    name: identity.name,
    generation: generationAfter(json, stored),
  };
  return withStatus({ ...json, apiVersion, metadata }, json['status'] ?? stored?.['status']);
}

/** The API server counts the edits of a spec. */
function generationAfter(json: Json, stored: Json | undefined): number {
  const { generation } = metadataOf(stored);
  const before = typeof generation === 'number' ? generation : 0;
  return stored !== undefined && sameJson(json['spec'], stored['spec']) ? before : before + 1;
}

function withStatus(object: Json, status: unknown): Json {
  const rest = Object.entries(object).filter(([field]) => field !== 'status');
  return Object.fromEntries(status === undefined ? rest : [...rest, ['status', status]]);
}

/**
 * The same review in the validating phase: what the mutating phase changed is in, and a status that was sent to the main
 * resource is gone.
 */
export function validatingPhase(review: Json, object: unknown): Json {
  const request = fieldOf(review, 'request') as Json;
  if (!isObject(object)) return review;
  if (fieldOf(request, 'subResource') === 'status') return { ...review, request: { ...request, object } };
  const status = fieldOf(fieldOf(request, 'oldObject'), 'status');
  return { ...review, request: { ...request, object: withStatus(object, status) } };
}

function metadataOf(json: unknown): Json {
  const metadata = fieldOf(json, 'metadata');
  return isObject(metadata) ? metadata : {};
}
