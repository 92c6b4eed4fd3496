import { fixWith } from '../../engine/message.js';
import { defineRule } from '../../engine/rule.js';
import { yamlLines } from '../wording/yaml-lines.js';
import { everyStage } from '../stage-floor.js';
import type { Stage, StageTask } from '../../fleet/model.js';
import { freeStageName } from '../../fleet/stage.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { quoted } from '../../fleet/quoted.js';

export default defineRule({
  id: 'strategy-stage-names-unique',
  title: 'Every stage of a strategy has a name of its own',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'KubeFleet names an approval request after run and stage. Two stages of one name share it, so one approval opens the gates of both and the second stage goes out unapproved.',
  fix: 'Give each stage a name of its own.',

  floor: everyStage(
    'variables.stages.exists_one(t, t.name == s.name)',
    'two stages have this name, and one approval would open the gates of both. Give each stage a name of its own.',
  ),

  *check({ object: { spec } }) {
    if (isOversize(spec)) return;
    const firsts = new Map<string, { stage: Stage; index: number }>();
    const taken = new Set(spec.stages.map(({ name }) => name));
    for (const [index, stage] of spec.stages.entries()) {
      const first = firsts.get(stage.name);
      if (stage.name === '') continue;
      if (first === undefined) {
        firsts.set(stage.name, { stage, index });
        continue;
      }
      const name = freeStageName(stage.name, taken);
      taken.add(name);
      const effect = shareGate(first.stage, stage)
        ? 'one approval would open the gates of both'
        : 'a run cannot tell the two apart';
      yield {
        path: ['spec', 'stages', index, 'name'],
        message: `${quoted(stage.name)} is already the name of spec.stages[${String(first.index)}]; ${effect}`,
        fix: fixWith('Give the stage a name of its own.', ...yamlLines({ name })),
        edit: { of: 'value', to: name },
      };
    }
  },
});

/** Whether the two would use one approval request: there is one before and one after a stage. */
function shareGate(a: Stage, b: Stage): boolean {
  const isGated = (tasks: readonly StageTask[]): boolean => tasks.some(({ type }) => type === 'Approval');
  return (
    (isGated(a.beforeStageTasks) && isGated(b.beforeStageTasks)) ||
    (isGated(a.afterStageTasks) && isGated(b.afterStageTasks))
  );
}
