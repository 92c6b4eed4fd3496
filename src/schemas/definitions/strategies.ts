import { fields, list, oneOf, text, type CelRule, type Schema } from '../schema.js';
import { kindSchema, labelSelector } from './parts.js';

export const taskType: Schema = oneOf(['TimedWait', 'Approval']);

/** Releases up to v0.3.1 take more spellings; see `wait-times-strict` in the table of versions. */
const waitTime: Schema = { type: 'string', pattern: '^(?:(?:0|[1-9][0-9]*)(\\.[0-9]+)?(?:s|m|h))+$' };
const oldestWaitTime: Schema = { type: 'string', pattern: '^(?:0|(?:(?:0|[1-9][0-9]*)(\\.[0-9]+)?(?:s|m|h))+)$' };

const approvalsDoNotWait: CelRule = {
  rule: "self.all(task, task.type != 'Approval' || !has(task.waitTime))",
  message: 'AfterStageTaskType is Approval, waitTime is not allowed',
};

const task = fields({ 'type*': taskType, waitTime });

const stageParts = {
  'name*': { type: 'string', maxLength: 63, pattern: '^[a-z0-9]+$' },
  labelSelector,
  sortingLabelKey: text,
} as const satisfies Record<string, Schema>;

const stage = fields({
  ...stageParts,
  maxConcurrency: {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
    pattern: '^(100|[1-9][0-9]?)%$',
    default: 1,
    'x-kubernetes-validations': [
      { rule: 'self == null || type(self) != int || self >= 1', message: 'maxConcurrency must be at least 1' },
    ],
  },
  beforeStageTasks: list(task, {
    maxItems: 1,
    'x-kubernetes-validations': [
      approvalsDoNotWait,
      { rule: "self.all(task, task.type != 'TimedWait')", message: 'BeforeStageTaskType cannot be TimedWait' },
    ],
  }),
  afterStageTasks: list(task, {
    maxItems: 2,
    'x-kubernetes-validations': [
      approvalsDoNotWait,
      {
        rule: "self.all(task, task.type != 'TimedWait' || has(task.waitTime))",
        message: 'AfterStageTaskType is TimedWait, waitTime is required',
      },
    ],
  }),
});

const oldestStage = fields({
  ...stageParts,
  afterStageTasks: list(fields({ 'type*': taskType, waitTime: oldestWaitTime }), { maxItems: 2 }),
});

/** What of a strategy a run keeps a copy of. */
export function strategySpec(version: string): Schema {
  return fields({ 'stages*': list(version === 'v1alpha1' ? oldestStage : stage, { maxItems: 31 }) });
}

export function strategies(version: string): Schema {
  return kindSchema({ 'spec*': strategySpec(version) });
}
