import { conditionOf, type Condition } from '../fleet/model.js';
import { plain, quoted, quotedSentence } from '../fleet/quoted.js';
import type { BindingReport, MemberReport, PlacedResource, WorkReport } from '../fleet/reports.js';
import { snapshotIndexOf } from '../rules/wording/run.js';
import { ageOf, ageText, minutes } from './ages.js';
import type { Cause, Evidence } from './diagnosis.js';
import { conditionEvidence, evidenceOf, resourceEvidence, resourceName } from './evidence.js';
import { bindingFor, writerOf, type Scene } from './scene.js';
import { afterRepair, onMember, seeOther } from './ways-out.js';

/** What keeps one cluster from being updated. */
export interface Trouble extends Cause {
  /** `slow` may well be over in a minute; `hard` does not pass by itself. */
  readonly is: 'hard' | 'slow';
}

/** Nothing where the cluster is on its way, or where nobody can tell. */
export function troubleOn(cluster: string, scene: Scene): Trouble | undefined {
  const binding = bindingFor(cluster, scene);
  if (binding === undefined) return withoutBinding(cluster, scene);
  return takenOver(cluster, binding, scene) ?? (steps.get(firstOpen(binding)) ?? nothing)({ cluster, binding, scene });
}

interface Place {
  readonly cluster: string;
  readonly binding: BindingReport;
  readonly scene: Scene;
}

const nothing = (): undefined => undefined;

/** In the order in which KubeFleet takes them. */
const order = ['RolloutStarted', 'Overridden', 'WorkSynchronized', 'Applied', 'Available'] as const;
type Step = (typeof order)[number];

/** The first step that a binding has not taken; undefined where it has taken all. */
function firstOpen(binding: BindingReport): Step | undefined {
  return order.find((type) => current(binding, type)?.status !== 'True');
}

/** A condition of an older generation says nothing of what the binding asks for now. */
function current(
  { conditions, generation }: Pick<BindingReport, 'conditions' | 'generation'>,
  type: string,
): Condition | undefined {
  const condition = conditionOf(conditions, type);
  return condition?.observedGeneration === generation ? condition : undefined;
}

const steps = new Map<Step | undefined, (place: Place) => Trouble | undefined>([
  ['Overridden', notWritten('the overrides for it cannot be worked out')],
  ['WorkSynchronized', notWritten('what it is to get cannot be written to the hub')],
  ['Applied', notApplied],
  ['Available', notAvailable],
]);

/** All bindings may be out of sight; a single one that is missing is gone. */
function withoutBinding(cluster: string, { run, reports, facts }: Scene): Trouble | undefined {
  const { items, complete } = reports.bindings;
  if (!complete || items.length === 0) return undefined;
  const placement = facts.some('Placement').find(({ metadata }) => metadata.name === run.spec.placementName);
  return {
    is: 'hard',
    what: `cluster ${quoted(cluster)} has no binding any more: the placement has let go of it, by an eviction or because it no longer fits`,
    evidence: [
      evidenceOf(
        placement ?? run,
        placement === undefined ? 'status' : 'spec.policy',
        `no binding for ${quoted(cluster)}`,
      ),
    ],
    fix: afterRepair('Find out why the placement no longer picks the cluster.', run),
  };
}

function takenOver(cluster: string, binding: BindingReport, { run }: Scene): Trouble | undefined {
  const index = snapshotIndexOf(run);
  const own = `${run.spec.placementName}-${index ?? ''}-snapshot`;
  if (index === undefined || binding.resourceSnapshotName === '' || binding.resourceSnapshotName === own)
    return undefined;
  const writer = writerOf(binding);
  const by = writer === undefined || writer === run.metadata.name ? '' : ` by run ${quoted(writer)}`;
  const started = conditionOf(binding.conditions, 'RolloutStarted');
  return {
    is: 'hard',
    what: `cluster ${quoted(cluster)} has been taken over${by}: it has ${quoted(binding.resourceSnapshotName)}, this run brings ${quoted(own)}`,
    evidence: [
      evidenceOf(binding, 'spec.resourceSnapshotName', quoted(binding.resourceSnapshotName)),
      ...(started === undefined ? [] : [conditionEvidence(binding, started)]),
    ],
    fix: seeOther(writer, run),
  };
}

/** Steps that KubeFleet takes on the hub; it says itself what is in the way. */
function notWritten(what: string): (place: Place) => Trouble | undefined {
  return ({ cluster, binding, scene }) => {
    const condition = binding.conditions.find(({ type, status }) => type === firstOpen(binding) && status === 'False');
    if (condition === undefined) return undefined;
    return {
      is: 'hard',
      what: `cluster ${quoted(cluster)}: ${what}: ${quotedSentence(condition.message ?? condition.reason ?? '')}`,
      evidence: [conditionEvidence(binding, condition)],
      fix: afterRepair('Fix what the message names on the hub.', scene.run),
    };
  };
}

function notApplied(place: Place): Trouble | undefined {
  const condition = current(place.binding, 'Applied');
  const failed = resourcesWith(place, 'Applied');
  if (condition?.status === 'False' && failed.length > 0) {
    return resourceTrouble(place, { condition, failed, is: 'hard', verb: 'cannot be applied' });
  }
  return silent(place) ?? unexplained(place, condition);
}

function notAvailable(place: Place): Trouble | undefined {
  const condition = current(place.binding, 'Available');
  const failed = resourcesWith(place, 'Available');
  if (condition?.status === 'False' && failed.length > 0) {
    return resourceTrouble(place, { condition, failed, is: 'slow', verb: 'is not available' });
  }
  return silent(place) ?? unexplained(place, condition);
}

/** The binding says that something is wrong and not what. */
function unexplained({ cluster, binding, scene }: Place, condition: Condition | undefined): Trouble | undefined {
  if (condition?.status !== 'False') return undefined;
  return {
    is: 'slow',
    what: `cluster ${quoted(cluster)} does not get through: ${quotedSentence(condition.message ?? condition.reason ?? '')}`,
    evidence: [conditionEvidence(binding, condition)],
    fix: afterRepair('Look at the works of this cluster.', scene.run),
  };
}

interface Failed {
  readonly resource: PlacedResource;
  readonly evidence: Evidence;
}

/** Resources that are at fault, by the binding or else by the works behind it. */
function resourcesWith({ binding, scene }: Place, type: string): readonly Failed[] {
  const ofBinding = binding.failed
    .filter(({ conditions }) => conditions.some((one) => one.type === type))
    .map((resource) => ({ resource, evidence: resourceEvidence(binding, 'failedPlacements', resource) }));
  const ofWorks = worksOf(binding, scene).flatMap((work) =>
    work.manifests
      .map((one) => ({
        ...one,
        conditions: one.conditions.filter((each) => each.type === type && each.status === 'False'),
      }))
      .filter(({ conditions }) => conditions.length > 0)
      .map((resource) => ({ resource, evidence: resourceEvidence(work, 'manifestConditions', resource) })),
  );
  return ofBinding.length > 0 ? ofBinding.map((one) => withWork(one, ofWorks)) : ofWorks;
}

/** The work is closer to the cluster than the binding. */
function withWork(one: Failed, works: readonly Failed[]): Failed {
  return works.find(({ resource }) => resourceName(resource) === resourceName(one.resource)) ?? one;
}

function worksOf({ name }: BindingReport, { reports }: Scene): readonly WorkReport[] {
  return reports.works.items.filter(({ binding }) => binding === name);
}

const mostResources = 3;

interface ResourceTrouble {
  readonly condition: Condition;
  readonly failed: readonly Failed[];
  readonly is: Trouble['is'];
  readonly verb: string;
}

function resourceTrouble(place: Place, { condition, failed, is, verb }: ResourceTrouble): Trouble {
  const { cluster, binding, scene } = place;
  const [first] = failed;
  const told = failed.slice(0, mostResources);
  const names = told.map(({ resource }) => resourceName(resource));
  const more = failed.length > told.length ? ` and ${String(failed.length - told.length)} more` : '';
  const message = first?.resource.conditions[0]?.message ?? '';
  const since = ageText(condition.lastTransitionTime, scene.now);
  return {
    is,
    what:
      `on cluster ${quoted(cluster)}, ${names.join(', ')}${more} ${failed.length > 1 ? verb.replace('is', 'are') : verb}` +
      `${since === undefined ? '' : ` (for ${since})`}${message === '' ? '' : `: ${quotedSentence(message)}`}`,
    evidence: [conditionEvidence(binding, condition), ...told.map(({ evidence }) => evidence)],
    fix: afterRepair(
      `Fix ${names[0] ?? 'it'} on the cluster, or the cause there.`,
      scene.run,
      told.flatMap(({ resource }) => onMember(cluster, resource)),
    ),
  };
}

/** A member agent that has not said a word about what it was given. */
function silent({ cluster, binding, scene }: Place): Trouble | undefined {
  const work = worksOf(binding, scene).find((one) => current(one, 'Applied') === undefined);
  if (work === undefined) return undefined;
  const nothing = evidenceOf(work, 'status.conditions', 'nothing for this generation');
  const member = scene.reports.members.items.find(({ name }) => name === cluster);
  const health = member && healthOf(member, scene.now);
  const has = `the member agent of cluster ${quoted(cluster)}`;
  return {
    is: health === undefined ? 'slow' : 'hard',
    what: `${has} ${health === undefined ? '' : `${health.what}, and `}has not reported yet on what it was given`,
    evidence: [...(health?.evidence ?? []), nothing],
    fix: afterRepair('See that the member agent runs and reaches the hub.', scene.run, [
      '# on the member cluster: kubectl get pods -n fleet-system',
    ]),
  };
}

/** What speaks against a member agent, by its own last words. */
function healthOf(member: MemberReport, now: number): Pick<Trouble, 'what' | 'evidence'> | undefined {
  const { lastHeartbeat = '', heartbeatSeconds, agent } = member;
  const longest = Math.max(3 * heartbeatSeconds * 1000, 3 * minutes);
  const bad = agent.find(({ status }) => status !== 'True');
  if ((ageOf(lastHeartbeat, now) ?? Infinity) > longest) {
    const field = 'status.agentStatus[MemberAgent].lastReceivedHeartbeat';
    const age = ageText(lastHeartbeat, now);
    return {
      what: age === undefined ? 'has never been heard of' : `was last heard of ${age} ago`,
      evidence: [evidenceOf(member, field, plain(lastHeartbeat || 'none'))],
    };
  }
  return bad && { what: `says ${plain(bad.type)}=${plain(bad.status)}`, evidence: [conditionEvidence(member, bad)] };
}
