import { fixWith } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { yamlLines } from '../../engine/yaml-lines.js';

/** KubeFleet reads maxConcurrency as an IntOrString, whose number is an int32. */
const most = 2 ** 31 - 1;

/** The pattern of the CRD. */
const percentage = /^(?:100|[1-9][0-9]?)%$/;

export default defineRule({
  id: 'strategy-max-concurrency',
  title: 'maxConcurrency is a number from 1 or a percentage',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'A number that KubeFleet cannot read hides every new strategy of the hub from all runs, and with less than one cluster at a time no rollout moves.',
  fix: 'Set maxConcurrency to a whole number from 1 up, or to a percentage from 1% to 100%.',

  *check({ object: { spec } }) {
    for (const [index, { name, maxConcurrency }] of spec.stages.entries()) {
      const fault = maxConcurrency === undefined ? undefined : faultOf(maxConcurrency);
      if (fault === undefined) continue;
      const path = ['spec', 'stages', index, 'maxConcurrency'];
      yield { ...fault, path, message: `stage "${name}": maxConcurrency ${fault.message}` };
    }
  },
});

type Fault = Omit<Violation, 'path'>;

function faultOf(value: number | string): Fault | undefined {
  return typeof value === 'number' ? numberFault(value) : stringFault(value);
}

function numberFault(value: number): Fault | undefined {
  if (value < 1) return { message: `is ${String(value)}; at least 1 cluster has to move at a time` };
  if (value <= most) return undefined;
  return {
    message: `is ${String(value)}, more than the ${String(most)} that KubeFleet can read; it would find no new strategy any more`,
    fix: fixWith(
      'Set it to as many clusters as may move at a time, or to all of them.',
      ...yamlLines({ maxConcurrency: '100%' }),
    ),
  };
}

function stringFault(value: string): Fault | undefined {
  if (percentage.test(value)) return undefined;
  if (/^[1-9][0-9]{0,8}$/.test(value)) {
    return {
      message: `is the text "${value}"; a number of clusters is written without quotes`,
      fix: fixWith('Write the number without quotes.', ...yamlLines({ maxConcurrency: Number(value) })),
    };
  }
  return { message: `is "${value}", which is not a percentage from 1% to 100%` };
}
