import { fixWith, quoteList } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { yamlLines } from '../wording/yaml-lines.js';
import type { MemberCluster, Stage } from '../../fleet/model.js';
import { matcherOf, selectorJson } from '../../fleet/selector.js';
import {
  overlapsOf,
  separate,
  type Overlap,
  type Separation,
  type StageSelectors,
} from '../../fleet/disjoint-stages.js';
import { soundSelectors, stageJson, stagesInPlaceOf } from '../../fleet/stage.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { plain, quoted } from '../../fleet/quoted.js';

export default defineRule({
  id: 'strategy-stages-disjoint',
  title: 'No cluster can be in two stages',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  after: ['strategy-stages-present'],
  reads: [],
  mentions: ['MemberCluster'],
  why: 'KubeFleet fails a run as soon as one of its clusters matches two stages. Where the selectors leave room for that, a new label on a cluster is enough.',
  fix: 'Make the label selectors of the named stages disjoint: the same key with different values, or NotIn.',

  *check({ object: { spec } }, { facts }) {
    const { stages } = spec;
    if (isOversize(spec)) return;
    const selectors = soundSelectors(spec, facts);
    const overlaps = overlapsOf(selectors);
    if (overlaps.length === 0) return;
    const edits = separate(selectors);
    // Where no edit is worth its while, matching every cluster with every requirement is not either.
    const members = membersByStages(selectors, edits === undefined ? [] : facts.some('MemberCluster'));
    const problems: readonly Problem[] = edits ?? byLaterStage(overlaps);
    for (const problem of problems) {
      yield {
        path: ['spec', 'stages', problem.stage, 'labelSelector'],
        message: `${overlapText(problem, stages)}${clustersText(problem, members)}`,
        ...(problem.selectors && editOf({ ...problem, selectors: problem.selectors }, stages)),
      };
    }
  },
});

/** An edit, or where none is known the stage that its author has to look at. */
type Problem = Omit<Separation, 'selectors'> & Partial<Separation>;

function byLaterStage(overlaps: readonly Overlap[]): readonly Problem[] {
  const stages = new Set(overlaps.map(({ later }) => later));
  return [...stages].map((stage) => ({ stage, overlaps: overlaps.filter(({ later }) => later === stage) }));
}

/** More pairs than this are only counted: the edit ends them all. */
const mostPairs = 5;

function overlapText({ stage, overlaps }: Problem, stages: readonly Stage[]): string {
  const name = (index: number): string => quoted(stages[index]?.name ?? '');
  const [first, ...others] = overlaps;
  if (first !== undefined && others.length === 0) {
    return `stages ${name(first.earlier)} and ${name(first.later)} can both select a cluster: ${labelsText(first)} both`;
  }
  const pairs = overlaps.map(({ earlier, later, labels }) => {
    const other = earlier === stage ? later : earlier;
    return `${name(other)} (${labelList(labels) || 'no labels'})`;
  });
  const more = pairs.length > mostPairs ? ` and ${String(pairs.length - mostPairs)} more` : '';
  return `stage ${name(stage)} can select clusters of ${String(pairs.length)} other stages: labels in common with ${pairs.slice(0, mostPairs).join(', ')}${more}`;
}

function labelsText({ labels }: Overlap): string {
  const list = labelList(labels);
  return list === '' ? 'a cluster without labels matches' : `labels ${list} match`;
}

const mostLabels = 10;

function labelList(labels: Overlap['labels']): string {
  const pairs = Object.entries(labels).map(([key, value]) => `${plain(key)}=${plain(value)}`);
  const more = pairs.length > mostLabels ? ` and ${String(pairs.length - mostLabels)} more` : '';
  return `${pairs.sort().slice(0, mostLabels).join(',')}${more}`;
}

/** The names of clusters, by the stages that select them: one bit a stage, and there are at most 31. */
type Members = ReadonlyMap<number, readonly string[]>;

/** Thousands of clusters are in two of hundreds of pairs of stages alike: they are looked at once, and then by the group. */
function membersByStages(selectors: StageSelectors, clusters: readonly MemberCluster[]): Members {
  const matchers = selectors.map(matcherOf);
  const members = new Map<number, string[]>();
  for (const { metadata } of clusters) {
    const stages = matchers.reduce(
      (bits, isMember, stage) => (isMember(metadata.labels) ? bits | bitOf(stage) : bits),
      0,
    );
    const known = members.get(stages);
    if (known === undefined) members.set(stages, [metadata.name]);
    else known.push(metadata.name);
  }
  return members;
}

function bitOf(stage: number): number {
  return 1 << stage;
}

/** The clusters that are in two stages already, as far as they are known. */
function clustersText({ overlaps }: Problem, members: Members): string {
  const pairs = overlaps.map(({ earlier, later }) => bitOf(earlier) | bitOf(later));
  const names = [...members].flatMap(([stages, inThem]) =>
    pairs.some((pair) => (stages & pair) === pair) ? inThem : [],
  );
  if (names.length === 0) return '';
  const clusters = names.length === 1 ? 'cluster' : 'clusters';
  return `; ${clusters} in ${overlaps.length === 1 ? 'both' : 'two stages'} now: ${quoteList(names)}`;
}

/** In words and for the text. */
function editOf(problem: Separation, stages: readonly Stage[]): Pick<Violation, 'fix' | 'edit'> {
  const { stage, selectors } = problem;
  const edited = stages[stage];
  if (edited === undefined) return {};
  const copies = stagesInPlaceOf(edited, selectors, stages).map(({ name, labelSelector }, at) => ({
    ...(at > 0 && { name }),
    ...(labelSelector && { labelSelector: selectorJson(labelSelector) }),
  }));
  return { fix: editText(problem, stages), edit: { of: 'item', at: ['spec', 'stages', stage], copies } };
}

/** An edit in words, and below it what takes the place of the stage or of its selector. */
function editText({ stage, selectors, overlaps }: Separation, stages: readonly Stage[]): string {
  const edited = stages[stage];
  if (edited === undefined) return '';
  const others = overlaps.map(({ earlier, later }) => stages[earlier === stage ? later : earlier]?.name ?? '');
  const [selector, ...more] = selectors;
  if (selector === undefined)
    return `Remove stage ${quoted(edited.name)}: other stages select every cluster that it selects.`;
  const leaving = `${others.length === 1 ? 'stage' : 'stages'} ${quoteList(others)}`;
  if (more.length === 0) {
    const lines = yamlLines({ labelSelector: selectorJson(selector) });
    return fixWith(`Give stage ${quoted(edited.name)} a selector that leaves out ${leaving}.`, ...lines);
  }
  const parts = stagesInPlaceOf(edited, selectors, stages).map(stageJson);
  return fixWith(
    `Put these ${String(parts.length)} stages in place of stage ${quoted(edited.name)}; they leave out ${leaving}.`,
    ...yamlLines(parts),
  );
}
