import { changeOf, type Change } from '../engine/change.js';
import { decisionOf, type Finding, type Verdict } from '../engine/verdict.js';
import { IndexedFleet } from '../fleet/indexed-fleet.js';
import { sameJson } from '../fleet/json.js';
import { splitApiVersion, type Family } from '../fleet/kinds.js';
import type { Families, Metadata } from '../fleet/model.js';
import type { Answer, FleetState, ListAnswer, ObjectKey, Query } from '../fleet/state.js';
import type { Path } from '../fleet/path.js';
import { putInto, type ManifestObject } from '../sources/manifests/objects.js';
import { shapeFinding, withoutWhatRulesSay } from './manifest-checks.js';
import { setFindings } from './manifest-set.js';

/** A manifest with what is held against applying it. */
export interface Judged {
  readonly manifest: ManifestObject;
  readonly change: Change;
  /** The fleet that it was judged by. */
  readonly fleet: FleetState;
  readonly verdict: Verdict;
}

/**
 * Judges manifests as if they were applied to a fleet together: each sees all the others. Only runs go one after the
 * other, and one that is refused is not there for the next: else any two runs of a placement would refuse each other.
 * Where there is no verdict, the manifest is left out.
 */
export function judgeTogether(
  manifests: readonly ManifestObject[],
  stored: FleetState,
  judge: (change: Change, fleet: FleetState) => Verdict | undefined,
): readonly Judged[] {
  const ofSet = setFindings(manifests, stored);
  const changes = manifests.map((manifest) => ({ manifest, change: changeBy(manifest, stored) }));
  const applied = new Applied(stored);
  for (const { manifest, change } of changes) {
    if (!isUnderstood(manifest)) applied.putMisread(change);
    else if (change.family !== 'UpdateRun') applied.put(change);
  }
  const moving = changes.map(({ change }) => change).filter(movesClusters);
  return changes.flatMap(({ manifest, change }) => {
    const others = change.family === 'Placement' ? moving.filter((other) => keyOf(other) !== keyOf(change)) : moving;
    const fleet = new Unsettled(applied, others);
    const beside = [...manifest.shape.flatMap(shapeFinding), ...(ofSet.get(manifest) ?? [])];
    if (!isUnderstood(manifest)) {
      return beside.length === 0 ? [] : [{ manifest, change, fleet, verdict: unjudged(manifest, beside) }];
    }
    const byRules = judge(change, fleet);
    if (byRules === undefined) return [];
    const verdict = { ...byRules, findings: [...withoutWhatRulesSay(beside, byRules.findings), ...byRules.findings] };
    if (decisionOf(verdict) === 'admit') applied.put(change);
    return [{ manifest, change, fleet, verdict }];
  });
}

/** Whether a manifest says what its writer meant; where it does not, what rules have to say leads astray. */
function isUnderstood({ problems, shape }: ManifestObject): boolean {
  return problems.length === 0 && shape.every(({ what, path }) => what !== 'unknown' && !isState(path));
}

/** The model has no place for a state that there is not. */
function isState(path: Path): boolean {
  return path[0] === 'spec' && path[1] === 'state';
}

function unjudged({ kind, object }: ManifestObject, findings: readonly Finding[]): Verdict {
  const { name, namespace } = object.metadata;
  return { subject: { kind: kind.kind, namespace, name }, findings, failures: [], undetermined: [] };
}

function keyOf({ family, name, namespace }: { family: Family } & ObjectKey): string {
  return `${family}/${namespace ?? ''}/${name}`;
}

/** What applying a manifest does. */
function changeBy({ kind: { family }, object }: ManifestObject, stored: FleetState): Change {
  const { name, namespace } = object.metadata;
  const found = stored.get(family, { name, namespace });
  const write = { family, name, namespace, requestVersion: splitApiVersion(object.apiVersion).version };
  return found.is === 'known'
    ? changeOf(write, { object: carriedOver(object, found.value), oldObject: found.value })
    : changeOf(write, { object: withoutStatus(family, object) });
}

/** A manifest says nothing of what the API server and the controllers keep in an object. */
function carriedOver(manifest: Families[Family], stored: Families[Family]): Families[Family] {
  const { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, finalizers } = stored.metadata;
  const kept = { uid, resourceVersion, generation, creationTimestamp, deletionTimestamp, finalizers };
  const known = Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
  const metadata: Metadata = { ...manifest.metadata, ...known };
  return { ...manifest, metadata, ...('status' in stored ? { status: stored.status } : {}) };
}

/** The API server drops the status of what is created; the families that only controllers write are taken as they are. */
function withoutStatus(family: Family, object: Families[Family]): Families[Family] {
  const isWrittenByPeople = family === 'UpdateRun' || family === 'Placement' || family === 'ApprovalRequest';
  return isWrittenByPeople ? { ...object, status: { conditions: [] } } : object;
}

/** Whether the scheduler will have to choose clusters anew. */
function movesClusters(change: Change): boolean {
  if (change.family !== 'Placement') return false;
  return change.operation !== 'UPDATE' || !sameJson(change.object.spec, change.oldObject.spec);
}

/** A fleet with objects laid over it. */
class Applied implements FleetState {
  private readonly added = new IndexedFleet('partial');

  /** There, but nobody can say what they will be like. */
  private readonly misread = new IndexedFleet('partial');

  constructor(private readonly stored: FleetState) {}

  putMisread(change: Change): void {
    if (change.operation !== 'DELETE') putInto(this.misread, change.family, change.object);
  }

  put(change: Change): void {
    if (change.operation !== 'DELETE') putInto(this.added, change.family, change.object);
  }

  get<F extends Family>(family: F, key: ObjectKey): Answer<Families[F]> {
    if (this.misread.get(family, key).is === 'known') return { is: 'unknown' };
    const answer = this.added.get(family, key);
    return answer.is === 'known' ? answer : this.stored.get(family, key);
  }

  list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
    const { items, complete } = this.stored.list(family, query);
    const kept = items.filter(({ metadata }) => this.added.get(family, metadata).is !== 'known');
    const isMisread = this.misread.list(family, query).items.length > 0;
    const all = [...kept, ...this.added.list(family, query).items];
    return { items: all.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)), complete: complete && !isMisread };
  }
}

const writtenByScheduling: ReadonlySet<Family> = new Set<Family>(['PolicySnapshot', 'ResourceSnapshot', 'Binding']);

/** Placements that are new or changed: what KubeFleet will make of them, nobody can know before it has. */
class Unsettled implements FleetState {
  constructor(
    private readonly fleet: FleetState,
    private readonly placements: readonly ObjectKey[],
  ) {}

  get<F extends Family>(family: F, key: ObjectKey): Answer<Families[F]> {
    const answer = this.fleet.get(family, key);
    const isOfUnsettled = this.placements.some(
      ({ name, namespace }) => namespace === key.namespace && key.name.startsWith(`${name}-`),
    );
    return writtenByScheduling.has(family) && isOfUnsettled && answer.is === 'absent' ? { is: 'unknown' } : answer;
  }

  list<F extends Family>(family: F, query: Query): ListAnswer<Families[F]> {
    const answer = this.fleet.list(family, query);
    if (!writtenByScheduling.has(family)) return answer;
    const isAsked = ({ name, namespace }: ObjectKey): boolean =>
      namespace === query.namespace && (query.placement === undefined || query.placement === name);
    return this.placements.some(isAsked) ? { ...answer, complete: false } : answer;
  }
}

function placeOf({ metadata: { name, namespace = '' } }: Families[Family]): string {
  return `${namespace}/${name}`;
}
