import { defineRule } from '../../engine/rule.js';
import type { LabelSelector } from '../../fleet/model.js';
import { impossibleKey } from '../../fleet/overlap.js';
import { formatSelector, requirementsOf } from '../../fleet/selector.js';
import { soundSelectors } from '../../fleet/stage.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { quoted } from '../../fleet/quoted.js';

export default defineRule({
  id: 'strategy-stage-selects',
  title: 'Every stage can select some cluster',
  severity: 'warn',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'A stage without a label selector, or with one that contradicts itself, never gets a cluster. KubeFleet passes over an empty stage, and over its approvals and waits as well.',
  fix: 'Give the stage a label selector that its clusters match; {} stands for every cluster.',

  *check({ object: { spec } }, { facts }) {
    if (isOversize(spec)) return;
    const sound = soundSelectors(spec, facts);
    for (const [index, { name, labelSelector }] of spec.stages.entries()) {
      const path = ['spec', 'stages', index, 'labelSelector'];
      if (labelSelector === undefined) {
        yield { path, message: `stage ${quoted(name)} has no labelSelector, so it selects no cluster` };
      } else if (sound[index] !== undefined) {
        const contradiction = contradictionIn(labelSelector);
        if (contradiction === undefined) continue;
        yield { path, message: `stage ${quoted(name)} can never select a cluster: ${contradiction}` };
      }
    }
  },
});

/** The requirements that no label satisfies at once, if there are such. */
function contradictionIn(selector: LabelSelector): string | undefined {
  const key = impossibleKey(selector);
  if (key === undefined) return undefined;
  const requirements = requirementsOf(selector).filter((requirement) => requirement.key === key);
  const shown = requirements.map((requirement) => formatSelector({ matchLabels: {}, matchExpressions: [requirement] }));
  return `no label can be ${shown.join(' and ')} at once`;
}
