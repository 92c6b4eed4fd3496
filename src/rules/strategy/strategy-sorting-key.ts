import { quoteList } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { quoted } from '../../fleet/quoted.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { sortingProblem, type SortingProblem } from '../../fleet/sorting-key.js';

export default defineRule({
  id: 'strategy-sorting-key',
  title: 'A stage sorts by a label that its clusters can have',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  after: ['strategy-selector-valid'],
  reads: [],
  why: 'KubeFleet fails every run with a cluster that has no whole number under the sortingLabelKey of its stage. A key that no label can have, or one that the label selector of the stage forbids or binds to other values, fails them all.',
  fix: 'Sort by a label of its own that holds a whole number, or take sortingLabelKey out of the stage.',

  *check({ object: { spec } }) {
    if (isOversize(spec)) return;
    for (const [index, stage] of spec.stages.entries()) {
      const problem = sortingProblem(stage);
      if (problem === undefined) continue;
      yield {
        path: ['spec', 'stages', index, 'sortingLabelKey'],
        message: `stage ${quoted(stage.name)} sorts its clusters by ${textOf(problem, stage.sortingLabelKey ?? '')}`,
        ...(problem.why === 'values' && !problem.isAll && { atMost: 'warn' }),
      };
    }
  },
});

function textOf(problem: SortingProblem, key: string): string {
  const label = quoted(key);
  switch (problem.why) {
    case 'no key':
      return key === '' ? 'an empty key' : `${label}, which cannot be a label key`;
    case 'absent':
      return `label ${label}, and selects only clusters without it`;
    case 'values':
      return problem.isAll
        ? `label ${label}, and selects only clusters that have no number there: ${quoteList(problem.values)}`
        : `label ${label}, and selects clusters that have no number there: ${quoteList(problem.values)}`;
  }
}
