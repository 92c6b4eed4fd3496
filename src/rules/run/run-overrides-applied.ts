import { count, quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { fleetKeys } from '../../fleet/fleet-keys.js';
import type { OverrideSnapshot, UpdateRun } from '../../fleet/model.js';
import { initializations } from '../targets.js';

export default defineRule({
  id: 'run-overrides-applied',
  title: 'The overrides of a namespaced placement reach its clusters',
  severity: 'warn',
  appliesTo: initializations,
  after: ['run-placement-exists'],
  reads: ['OverrideSnapshot'],
  why: 'A ResourceOverride can name the placement that it is for. Where that is one in a namespace (scope: Namespaced), KubeFleet compares its name with that of the run as if it were another, and passes over the override without a word: the clusters get the resources as they are on the hub.',
  fix: 'Create the override anew without spec.placement, which cannot be changed later; it is then for every placement of its resources.',

  *check({ object: run, namespace }, { facts }) {
    if (namespace === undefined) return;
    const names = new Set(facts.list('OverrideSnapshot').filter(isFor(run)).map(overrideOf));
    if (names.size === 0) return;
    const are = names.size === 1 ? 'is' : 'are';
    yield {
      path: ['spec', 'placementName'],
      message: `KubeFleet passes over ${count(names.size, 'ResourceOverride')} that ${are} for this placement alone: ${quoteList(names)}; the clusters get the resources without`,
    };
  },
});

/** KubeFleet pkg/utils/overrider/overrider.go, where the key of a placement has its namespace and that of a run has none. */
function isFor({ spec: { placementName } }: UpdateRun): (snapshot: OverrideSnapshot) => boolean {
  return ({ metadata, spec: { placement } }) =>
    metadata.labels[fleetKeys.isLatest] === 'true' &&
    placement?.scope === 'Namespaced' &&
    placement.name === placementName;
}

/** A snapshot is named after its override and an index. */
function overrideOf({ metadata }: OverrideSnapshot): string {
  return metadata.name.replace(/-\d+$/, '');
}
