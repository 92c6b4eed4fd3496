import type { LabelSelector, Stage, StrategySpec } from './model.js';
import type { Oversize } from './oversize.js';
import type { Path } from './path.js';
import { longestKey, requirementCount } from './selector.js';

/**
 * The largest strategy that is judged; whatever is computed of one takes its time by these. No strategy that people write
 * comes near them: eight tasks and eight requirements for each of as many stages as the CRD allows, values enough to name
 * the clusters of the largest fleets one by one, and texts of at most the length of the longest label key.
 */
export const mostInStrategy: Readonly<Record<Oversize['what'], number>> = {
  stages: 31,
  tasks: 248,
  requirements: 248,
  values: 5_000,
  characters: longestKey,
};

/** Undefined for a strategy that can be judged. Takes no longer than the strategy is long, however large it is. */
export function measure(stages: readonly Stage[]): Oversize | undefined {
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
    for (const [at, text] of longTexts(stage)) {
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

export function isOversize({ oversize }: StrategySpec): boolean {
  return oversize !== undefined;
}

function sum(stages: readonly Stage[], count: (stage: Stage) => number): number {
  return stages.reduce((total, stage) => total + count(stage), 0);
}

function valueCount(selector: LabelSelector | undefined): number {
  if (selector === undefined) return 0;
  const labels = Object.keys(selector.matchLabels).length;
  return selector.matchExpressions.reduce((total, { values }) => total + values.length, labels);
}

/** What takes more units than it may have characters; only of these anybody has to count them. */
function isLong(text: string | number | undefined): text is string {
  return typeof text === 'string' && text.length > mostInStrategy.characters;
}

/** The long texts of a stage but the times of its waits, of which a rule of their own takes care. */
function* longTexts(stage: Stage): Iterable<readonly [Path, string]> {
  for (const field of ['name', 'sortingLabelKey', 'maxConcurrency'] as const) {
    const text = stage[field];
    if (isLong(text)) yield [[field], text];
  }
  for (const side of ['beforeStageTasks', 'afterStageTasks'] as const) {
    for (const [index, { type }] of stage[side].entries()) if (isLong(type)) yield [[side, index, 'type'], type];
  }
  if (stage.labelSelector !== undefined) yield* longSelectorTexts(stage.labelSelector);
}

function* longSelectorTexts({ matchLabels, matchExpressions }: LabelSelector): Iterable<readonly [Path, string]> {
  const at = 'labelSelector';
  for (const key of Object.keys(matchLabels)) {
    const value = matchLabels[key];
    if (isLong(key)) yield [[at, 'matchLabels'], key];
    if (isLong(value)) yield [[at, 'matchLabels', key], value];
  }
  for (const [index, { key, operator, values }] of matchExpressions.entries()) {
    if (isLong(key)) yield [[at, 'matchExpressions', index, 'key'], key];
    if (isLong(operator)) yield [[at, 'matchExpressions', index, 'operator'], operator];
    for (const value of values) if (isLong(value)) yield [[at, 'matchExpressions', index, 'values'], value];
  }
}
