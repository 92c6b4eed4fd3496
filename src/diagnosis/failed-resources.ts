import type { Condition } from '../fleet/model.js';
import { plain, quoted, quotedSentence } from '../fleet/quoted.js';
import type { PlacedResource } from '../fleet/reports.js';
import { ageText } from './ages.js';
import type { Evidence } from './diagnosis.js';
import { conditionEvidence, differenceEvidence, resourceEvidence, resourceName } from './evidence.js';
import { current, worksOf, type Place, type Trouble } from './trouble.js';
import { afterRepair, onMember } from './ways-out.js';

/** Whether it is Applied or Available that resources lack. */
type Lacking = 'Applied' | 'Available';

const verbs: Readonly<Record<Lacking, readonly [one: string, several: string]>> = {
  Applied: ['cannot be applied', 'cannot be applied'],
  Available: ['is not available', 'are not available'],
};

const mostResources = 3;

/** Resources that do not get through, with what the cluster says of them. */
export function resourceTrouble(place: Place, type: Lacking): Trouble | undefined {
  const { cluster, binding, scene } = place;
  const condition = current(binding, type);
  const failed = resourcesWith(place, type);
  const [first] = failed;
  if (condition?.status !== 'False' || first === undefined) return undefined;
  const told = failed.slice(0, mostResources);
  const said = first.resource.conditions[0];
  return {
    is: type === 'Applied' ? 'hard' : 'slow',
    what: `on cluster ${quoted(cluster)}, ${namesOf(failed)} ${verbs[type][failed.length > 1 ? 1 : 0]}${saidText(place, condition, said)}`,
    evidence: [
      conditionEvidence(binding, condition),
      ...told.map(({ evidence }) => evidence),
      ...differences(place, told),
    ],
    fix: afterRepair(
      repair(said, resourceName(first.resource)),
      scene.run,
      told.flatMap(({ resource }) => onMember(cluster, resource)),
    ),
  };
}

function namesOf(failed: readonly Failed[]): string {
  const names = failed.slice(0, mostResources).map(({ resource }) => resourceName(resource));
  return names.join(', ') + (failed.length > names.length ? ` and ${String(failed.length - names.length)} more` : '');
}

/** ` (for 5m 3s): "image is not signed"` */
function saidText({ scene }: Place, { lastTransitionTime }: Condition, said: Condition | undefined): string {
  const since = ageText(lastTransitionTime, scene.now);
  const message = said?.message ?? '';
  return (since === undefined ? '' : ` (for ${since})`) + (message === '' ? '' : `: ${quotedSentence(message)}`);
}

/** What to do by what the member agent says (KubeFleet pkg/controllers/workapplier, reasons of manifests). */
const repairs: readonly (readonly [RegExp, (name: string, words: readonly string[]) => string])[] = [
  [
    /namespaces? "?([a-z0-9-]+)"? not found/,
    (_, [namespace = '']) =>
      `Bring namespace ${plain(namespace)} to the cluster first, with a ClusterResourcePlacement of its own: a placement inside a namespace does not bring it.`,
  ],
  [
    /^(?:FailedToTakeOver|NotTakenOver)|(?:already|is) owned by/,
    (name) =>
      `${name} is on the cluster already, and somebody else's: make it what the hub holds, or remove it there. To let KubeFleet take it over, set whenToTakeOver in spec.strategy.applyStrategy of the placement, which ends this run, and create a new one.`,
  ],
  [
    /^FoundDrifts/,
    (name) =>
      `Somebody has changed ${name} on the cluster: undo that there. To have it overwritten, set whenToApply in spec.strategy.applyStrategy of the placement to Always, which ends this run, and create a new one.`,
  ],
];

function repair(said: Condition | undefined, name: string): string {
  for (const text of [said?.reason, said?.message]) {
    for (const [pattern, sentence] of repairs) {
      const match = pattern.exec(text ?? '');
      if (match !== null) return sentence(name, match.slice(1));
    }
  }
  return `Fix ${name} on the cluster, or the cause there.`;
}

interface Failed {
  readonly resource: PlacedResource;
  readonly evidence: Evidence;
}

/** Resources that are the cause, by the binding or else by the works behind it. */
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

function differences({ binding }: Place, told: readonly Failed[]): readonly Evidence[] {
  const names = new Set(told.map(({ resource }) => resourceName(resource)));
  return binding.differing.filter((one) => names.has(resourceName(one))).map((one) => differenceEvidence(binding, one));
}
