import type { LabelSelector, Stage, StrategySpec } from './model.js';
import type { Path } from './path.js';
import { longestKey, requirementCount } from './selector.js';

/**
 * The largest strategy that is judged; whatever is computed of one takes its time by these. No strategy that people write
 * comes near them: eight tasks and eight requirements for each of as many stages as the CRD allows, values enough to name
 * the clusters of the largest fleets one by one, and texts of at most the length of the longest label key.
 */
export const mostInStrategy = {
  stages: 31,
  tasks: 248,
  requirements: 248,
  values: 5_000,
  characters: longestKey,
} as const;

/** What there is too much of, and where; of texts, the length of the first that is too long. */
export interface Oversize {
  readonly what: keyof typeof mostInStrategy;
  readonly count: number;
  readonly path: Path;
}

/** Most rules about strategies ask, and stored strategies are asked about time and again. */
const measured = new WeakMap<StrategySpec, { readonly oversize: Oversize | undefined }>();

/** Undefined for a strategy that can be judged. Takes no longer than the strategy is long, however large it is. */
export function oversizeOf(spec: StrategySpec): Oversize | undefined {
  const known = measured.get(spec) ?? { oversize: measure(spec) };
  measured.set(spec, known);
  return known.oversize;
}

function measure({ stages }: StrategySpec): Oversize | undefined {
  const path = ['stages'];
  // In this order: of a strategy with too many stages no stage is looked at.
  const counts = {
    stages: () => stages.length,
    tasks: () =>
      sum(stages, ({ beforeStageTasks, afterStageTasks }) => beforeStageTasks.length + afterStageTasks.length),
    requirements: () => sum(stages, ({ labelSelector }) => (labelSelector ? requirementCount(labelSelector) : 0)),
    values: () => sum(stages, ({ labelSelector }) => valueCount(labelSelector)),
  };
  for (const what of ['stages', 'tasks', 'requirements', 'values'] as const) {
    const count = counts[what]();
    if (count > mostInStrategy[what]) return { what, count, path };
  }
  for (const [index, stage] of stages.entries()) {
    for (const [at, text] of textsOf(stage)) {
      const count = characterCount(text);
      if (count <= mostInStrategy.characters) continue;
      return { what: 'characters', count, path: [...path, index, ...at] };
    }
  }
  return undefined;
}

/** As the API server counts: a character beyond the first 65,536 is one. What is far too long is not looked through. */
function characterCount(text: string): number {
  return text.length > 2 * mostInStrategy.characters ? text.length : Array.from(text).length;
}

/** Asked of the same strategy by many rules, and by thousands of runs. */
const knownSizes = new WeakMap<StrategySpec, boolean>();

export function isOversize(spec: StrategySpec): boolean {
  const known = knownSizes.get(spec);
  if (known !== undefined) return known;
  const isTooLarge = oversizeOf(spec) !== undefined;
  knownSizes.set(spec, isTooLarge);
  return isTooLarge;
}

function sum(stages: readonly Stage[], count: (stage: Stage) => number): number {
  return stages.reduce((total, stage) => total + count(stage), 0);
}

function valueCount(selector: LabelSelector | undefined): number {
  if (selector === undefined) return 0;
  const labels = Object.keys(selector.matchLabels).length;
  return selector.matchExpressions.reduce((total, { values }) => total + values.length, labels);
}

/** All texts of a stage but the times of its waits, of which a rule of their own takes care. */
function* textsOf(stage: Stage): Iterable<readonly [Path, string]> {
  yield [['name'], stage.name];
  yield [['sortingLabelKey'], stage.sortingLabelKey ?? ''];
  if (typeof stage.maxConcurrency === 'string') yield [['maxConcurrency'], stage.maxConcurrency];
  for (const side of ['beforeStageTasks', 'afterStageTasks'] as const) {
    for (const [index, { type }] of stage[side].entries()) yield [[side, index, 'type'], type];
  }
  if (stage.labelSelector !== undefined) yield* selectorTexts(stage.labelSelector);
}

function* selectorTexts({ matchLabels, matchExpressions }: LabelSelector): Iterable<readonly [Path, string]> {
  const at = 'labelSelector';
  for (const [key, value] of Object.entries(matchLabels)) {
    yield [[at, 'matchLabels'], key];
    yield [[at, 'matchLabels', key], value];
  }
  for (const [index, { key, operator, values }] of matchExpressions.entries()) {
    yield [[at, 'matchExpressions', index, 'key'], key];
    yield [[at, 'matchExpressions', index, 'operator'], operator];
    for (const value of values) yield [[at, 'matchExpressions', index, 'values'], value];
  }
}
