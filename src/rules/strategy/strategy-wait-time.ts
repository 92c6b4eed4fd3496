import { fixWith } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { yamlLines } from '../../engine/yaml-lines.js';
import { formatDuration, hour, longestDuration, readDuration, second } from '../../fleet/duration.js';

/** A year. Longer waits work, but no rollout means them. */
const longestSensibleWait = 8760n * hour;

/** What the API takes for a waitTime: today, and up to KubeFleet v0.3.1. */
const schema = /^(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[smh])+$/;
const formerSchema = /^0|(?:[0-9]+(?:\.[0-9]+)?[smh])+$/;

/** No sensible time is longer, and a text of a megabyte is slow to look through. */
const longestText = 1024;
const longestShown = 64;

export default defineRule({
  id: 'strategy-wait-time',
  title: 'A timed wait lasts at least one second',
  severity: 'deny',
  appliesTo: [{ family: 'UpdateStrategy', operations: ['CREATE', 'UPDATE'] }],
  reads: [],
  why: 'KubeFleet fails every run of a strategy with a wait of zero. With a wait under one second a run never gets any status. A wait too long for it to read hides every new strategy of the hub from all runs.',
  fix: 'Set waitTime to a time of hours, minutes and seconds from 1s up, such as 1h30m.',

  *check({ object: { spec } }) {
    for (const [index, stage] of spec.stages.entries()) {
      for (const [position, { type, waitTime }] of stage.afterStageTasks.entries()) {
        const fault = type === 'TimedWait' && waitTime !== undefined ? faultOf(waitTime) : undefined;
        if (fault === undefined) continue;
        const path = ['spec', 'stages', index, 'afterStageTasks', position, 'waitTime'];
        const shown = (waitTime ?? '').slice(0, longestShown);
        yield { ...fault, path, message: `stage "${stage.name}": waitTime "${shown}" ${fault.message}` };
      }
    }
  },
});

function faultOf(waitTime: string): Omit<Violation, 'path'> | undefined {
  if (waitTime.length > longestText) {
    return { message: `is cut here: it is ${String(waitTime.length)} characters long`, fix: write('1h30m') };
  }
  const duration = readDuration(waitTime);
  if (duration.is === 'malformed') {
    return { message: 'is not a time of hours (h), minutes (m) and seconds (s)', fix: write(inHours(waitTime)) };
  }
  if (duration.is === 'too long') {
    return {
      message: `is longer than ${formatDuration(longestDuration)}, the most that KubeFleet can read; it would find no new strategy any more`,
    };
  }
  return lengthFault(duration.nanoseconds) ?? spellingFault(waitTime, duration.nanoseconds);
}

function lengthFault(nanoseconds: bigint): Omit<Violation, 'path'> | undefined {
  if (nanoseconds <= 0n) {
    return {
      message: 'is no time at all',
      fix: fixWith('Wait for at least one second, or remove the task.', ...yamlLines({ waitTime: '1s' })),
    };
  }
  if (nanoseconds < second) {
    return {
      message: `is under one second; KubeFleet writes it as "${formatDuration(nanoseconds)}", which its own API refuses`,
      fix: fixWith('Wait for at least one second.', ...yamlLines({ waitTime: '1s' })),
    };
  }
  return nanoseconds > longestSensibleWait
    ? { message: 'is longer than a year (8760h)', fix: 'Check the waitTime.', atMost: 'warn' }
    : undefined;
}

/** Times that KubeFleet could read, but that the API refuses: by every release, or by the later ones. */
function spellingFault(waitTime: string, nanoseconds: bigint): Omit<Violation, 'path'> | undefined {
  if (schema.test(waitTime)) return undefined;
  const fault = { message: 'is not spelled as the API demands', fix: write(formatDuration(nanoseconds)) };
  return formerSchema.test(waitTime) ? { ...fault, atMost: 'warn' } : fault;
}

function write(waitTime: string): string {
  return fixWith('Write the time in hours, minutes and seconds.', ...yamlLines({ waitTime }));
}

/** Days are what people try first. */
function inHours(waitTime: string): string {
  const [, days] = /^([0-9]{1,3})d$/.exec(waitTime) ?? [];
  return days === undefined || Number(days) === 0 ? '1h30m' : `${String(Number(days) * 24)}h`;
}
