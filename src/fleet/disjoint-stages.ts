import type { Dictionary, LabelSelector } from './model.js';
import { choicesOf, commonLabels, subtract, type Choices } from './overlap.js';
import { requirementsOf } from './selector.js';
import { mostInStrategy } from './strategy-size.js';

/** Two stages, by position, and labels that the selectors of both pick. */
export interface Overlap {
  readonly earlier: number;
  readonly later: number;
  readonly labels: Dictionary;
}

/** How one stage has to change so that no two stages can select the same cluster. */
export interface Separation {
  readonly stage: number;
  /** What takes the place of its selector; several mean several stages, none means that the stage can go. */
  readonly selectors: readonly LabelSelector[];
  /** The overlaps that this edit ends. */
  readonly overlaps: readonly Overlap[];
}

/** Selectors of stages; undefined for a stage that is left out, because it selects nothing or cannot be read. */
export type StageSelectors = readonly (LabelSelector | undefined)[];

/** Every pair of stages that one label set could satisfy. */
export function overlapsOf(selectors: StageSelectors): readonly Overlap[] {
  const overlaps: Overlap[] = [];
  const choices = new Map<LabelSelector, Choices>();
  const of = (selector: LabelSelector): Choices => {
    const known = choices.get(selector) ?? choicesOf(selector);
    choices.set(selector, known);
    return known;
  };
  for (const [earlier, a] of selectors.entries()) {
    for (let later = earlier + 1; later < selectors.length; later++) {
      const b = selectors[later];
      if (a === undefined || b === undefined || haveDifferentLabels(a, b)) continue;
      const labels = commonLabels(of(a), of(b));
      if (labels !== undefined) overlaps.push({ earlier, later, labels });
    }
  }
  return overlaps;
}

/** The plainest way to be disjoint, and the most common: the same label with different values. */
function haveDifferentLabels({ matchLabels: a }: LabelSelector, { matchLabels: b }: LabelSelector): boolean {
  for (const key in a) if (b[key] !== undefined && b[key] !== a[key]) return true;
  return false;
}

type Parts = readonly LabelSelector[];

const { stages: mostStages } = mostInStrategy;

/** Beyond this many values nobody reads an edit, and finding it takes long. A requirement without values counts as one. */
const mostValues = 150;

/** In pairs of selectors that are compared: each pair of stages is four, as long as no stage has to be taken apart. */
const mostEffort = 1_200;

/**
 * Edits, at most one a stage, after which no two stages overlap and together select what they selected before.
 * Undefined if that takes more stages than a strategy may have, or more reading than a person can bear.
 */
export function separate(selectors: StageSelectors): readonly Separation[] | undefined {
  if (selectors.reduce((sum, selector) => sum + (selector ? lengthOf(selector) : 0), 0) > mostValues) return;
  const edited = new Map<number, { parts: Parts; readonly overlaps: Overlap[] }>();
  const partsOf = (stage: number): Parts => {
    const selector = selectors[stage];
    return edited.get(stage)?.parts ?? (selector === undefined ? [] : [selector]);
  };
  let effort = mostEffort;
  for (const overlap of overlapsOf(selectors)) {
    effort -= (partsOf(overlap.earlier).length + partsOf(overlap.later).length) ** 2;
    if (effort < 0) return undefined;
    const edit = separatePair(partsOf(overlap.earlier), partsOf(overlap.later));
    if (edit === undefined) return undefined;
    // What is gone by now went to a third stage; all pairs of stages before the earlier are settled, so it has lost it.
    const stage = edit.of === 'nothing' ? overlap.earlier : overlap[edit.of];
    const overlaps = [...(edited.get(stage)?.overlaps ?? []), overlap];
    edited.set(stage, { parts: edit.of === 'nothing' ? partsOf(stage) : edit.parts, overlaps });
  }
  const stages = selectors.reduce((sum, selector, stage) => sum + (selector ? partsOf(stage).length : 1), 0);
  if (stages > mostStages) return undefined;
  return [...edited]
    .sort(([a], [b]) => a - b)
    .map(([stage, { parts, overlaps }]) => ({ stage, selectors: parts, overlaps }));
}

function lengthOf(selector: LabelSelector): number {
  return requirementsOf(selector).reduce((sum, { values }) => sum + Math.max(1, values.length), 0);
}

/** A change to one of two stages that ends their overlap: the one that leaves fewer stages, at a tie the later. */
type PairEdit = { readonly of: 'nothing' } | { readonly of: 'earlier' | 'later'; readonly parts: Parts };

function separatePair(earlier: Parts, later: Parts): PairEdit | undefined {
  if (overlapsOf([...earlier, ...later]).length === 0) return { of: 'nothing' };
  const restOfLater = minus(later, earlier);
  const restOfEarlier = minus(earlier, later);
  if (restOfLater?.length === 0 && restOfEarlier?.length === 0) return { of: 'later', parts: [] };
  const [best] = [
    { of: 'later' as const, parts: restOfLater ?? [], growth: growth(later, restOfLater) },
    { of: 'earlier' as const, parts: restOfEarlier ?? [], growth: growth(earlier, restOfEarlier) },
  ]
    .filter(({ parts }) => parts.length > 0)
    .sort((a, b) => a.growth - b.growth);
  return best;
}

function growth(before: Parts, after: Parts = []): number {
  return Math.max(0, after.length - before.length);
}

/** What `parts` pick and `without` do not; undefined if that takes more selectors than there can be stages. */
function minus(parts: Parts, without: Parts): Parts | undefined {
  let rest = parts;
  for (const selector of without) {
    const left: LabelSelector[] = [];
    for (const piece of pieces(rest, selector)) if (left.push(piece) > mostStages) return undefined;
    rest = left;
  }
  return rest;
}

function* pieces(parts: Parts, without: LabelSelector): Iterable<LabelSelector> {
  for (const part of parts) yield* subtract(part, without);
}
