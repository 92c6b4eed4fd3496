import type { Facts } from './facts.js';
import type { LabelSelector, Stage, StrategySpec } from './model.js';
import { isSound, selectorJson } from './selector.js';

/** What the CRD of a strategy allows for the name of a stage, which has to match `^[a-z0-9]+$`. */
const longestStageName = 63;

/** The first of `name2`, `name3`, ... that no stage has yet, cut to what a stage may be called. */
export function freeStageName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number++) {
    const suffix = String(number);
    const candidate = `${name.slice(0, longestStageName - suffix.length)}${suffix}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/** The selectors of the stages; undefined for one that is absent or that nobody can read. Several rules of a review ask. */
export function soundSelectors(spec: StrategySpec, facts: Facts): readonly (LabelSelector | undefined)[] {
  return facts.once(spec, 'sound selectors', () =>
    spec.stages.map(({ labelSelector }) => (labelSelector && isSound(labelSelector) ? labelSelector : undefined)),
  );
}

/** A stage as several with these selectors and all else alike; the first keeps its name. */
export function stagesInPlaceOf(
  stage: Stage,
  selectors: readonly LabelSelector[],
  all: readonly Stage[],
): readonly Stage[] {
  const taken = new Set(all.map(({ name }) => name));
  return selectors.map((labelSelector, index) => {
    const name = index === 0 ? stage.name : freeStageName(stage.name, taken);
    taken.add(name);
    return { ...stage, name, labelSelector };
  });
}

/** A stage as it stands on the wire, without empty parts. */
export function stageJson({ labelSelector, beforeStageTasks, afterStageTasks, ...rest }: Stage): object {
  const { name, ...settings } = rest;
  return {
    name,
    ...(labelSelector && { labelSelector: selectorJson(labelSelector) }),
    ...settings,
    ...(beforeStageTasks.length > 0 && { beforeStageTasks }),
    ...(afterStageTasks.length > 0 && { afterStageTasks }),
  };
}
