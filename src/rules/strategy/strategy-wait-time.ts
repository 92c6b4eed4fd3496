import { celText } from '../../engine/cel.js';
import { fixWith } from '../../engine/message.js';
import { defineRule, type Violation } from '../../engine/rule.js';
import { all, everyStage } from '../stage-floor.js';
import { yamlLines } from '../wording/yaml-lines.js';
import { behaves } from '../../fleet/versions.js';
import { formatDuration, hour, longestDuration, readDuration, second } from '../../fleet/duration.js';
import { meantTime } from '../../fleet/meant-time.js';
import { isOversize } from '../../fleet/strategy-size.js';
import { quoted } from '../../fleet/quoted.js';

/** A year. Longer waits work, but no rollout means them. */
const longestSensibleWait = 8760n * hour;

/** What the API takes for a waitTime: where it is strict, and before. */
const schema = /^(?:(?:0|[1-9][0-9]*)(?:\.[0-9]+)?[smh])+$/;
const formerSchema = /^0|(?:[0-9]+(?:\.[0-9]+)?[smh])+$/;

/*
 * The times that the API server can judge by itself: `duration` of CEL fails where a time is more than an int64 of
 * nanoseconds, 2,562,047.78 hours. So the digits of the parts are bounded such that their sum stays below it, however
 * often they come; of what is longer than 285 years, some spellings are left out.
 */
const decimals = '(?:\\.[0-9]*)?';
const bounded = new RegExp(
  `^\\+?(?:${[
    // 1,024 characters hold 204 of these: 2,039,796 hours.
    `(?:0*[0-9]{1,4}${decimals}[hms])+`,
    // The largest of eight: 999,999,999 seconds, so 2,222,222 hours.
    `(?:0*[0-9]{1,5}${decimals}h|0*[0-9]{1,7}${decimals}m|0*[0-9]{1,9}${decimals}s){1,8}`,
    // 2,499,999 hours, 16,666 hours of minutes and 27,777 hours of seconds.
    `0*(?:1?[0-9]{6}|2[0-4][0-9]{5})${decimals}h(?:0*[0-9]{1,6}${decimals}m)?(?:0*[0-9]{1,8}${decimals}s)?`,
    '0*2(?:5[0-5][0-9]{4}|56[01][0-9]{3}|5620[0-3][0-9]|56204[0-7])h',
    '0*(?:[0-9]{8}|1[0-4][0-9]{7})m',
    '0*[1-8][0-9]{9}s',
  ].join('|')})$`,
);

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

  floor: everyStage(
    all('s', 'afterStageTasks', [
      't',
      `t.type != 'TimedWait' || !has(t.waitTime) || (size(t.waitTime) <= ${String(longestText)} && ` +
        `t.waitTime.matches(${celText(bounded.source)}) && duration(t.waitTime) >= duration('1s'))`,
    ]),
    'waitTime is no time from 1s up that KubeFleet can read. Write it in hours, minutes and seconds, such as 1h30m.',
  ),

  *check({ object: { spec } }, { policy }) {
    if (isOversize(spec)) return;
    const isStrict = behaves(policy.kubefleet.version, 'wait-times-strict') === 'yes';
    for (const [index, stage] of spec.stages.entries()) {
      for (const [position, { type, waitTime }] of stage.afterStageTasks.entries()) {
        const problem = type === 'TimedWait' && waitTime !== undefined ? problemOf(waitTime, isStrict) : undefined;
        if (problem === undefined) continue;
        const path = ['spec', 'stages', index, 'afterStageTasks', position, 'waitTime'];
        const shown = (waitTime ?? '').slice(0, longestShown);
        yield {
          ...problem,
          path,
          message: `stage ${quoted(stage.name)}: waitTime ${quoted(shown)} ${problem.message}`,
        };
      }
    }
  },
});

function problemOf(waitTime: string, isStrict: boolean): Omit<Violation, 'path'> | undefined {
  if (waitTime.length > longestText) {
    return { message: `is cut here: it is ${String(waitTime.length)} characters long`, fix: write('1h30m') };
  }
  const duration = readDuration(waitTime);
  if (duration.is === 'malformed') {
    const message = 'is not a time of hours (h), minutes (m) and seconds (s)';
    const right = soundTime(waitTime);
    if (right === undefined) return { message, fix: write('1h30m') };
    return { message, fix: write(right), edit: { of: 'value', to: right } };
  }
  if (duration.is === 'too long') {
    return {
      message: `is longer than ${formatDuration(longestDuration)}, the most that KubeFleet can read; it would find no new strategy any more`,
    };
  }
  return (
    lengthProblem(duration.nanoseconds) ??
    boundProblem(waitTime, duration.nanoseconds) ??
    yearProblem(duration.nanoseconds) ??
    spellingProblem(waitTime, duration.nanoseconds, isStrict)
  );
}

/** What the API server cannot judge by itself while no guard answers; no sensible time is among it. */
function boundProblem(waitTime: string, nanoseconds: bigint): Omit<Violation, 'path'> | undefined {
  if (bounded.test(waitTime) || !formerSchema.test(waitTime)) return undefined;
  if (nanoseconds > longestSensibleWait) return { message: 'is longer than a year by far', fix: write('8760h') };
  return { message: 'has more parts or digits than any time needs', fix: write(formatDuration(nanoseconds)) };
}

function lengthProblem(nanoseconds: bigint): Omit<Violation, 'path'> | undefined {
  if (nanoseconds <= 0n) {
    return {
      message: 'is no time at all',
      fix: fixWith('Wait for at least one second, or remove the task.', ...yamlLines({ waitTime: '1s' })),
    };
  }
  if (nanoseconds < second) {
    return {
      message: `is under one second; KubeFleet writes it as ${quoted(formatDuration(nanoseconds))}, which its own API refuses`,
      fix: fixWith('Wait for at least one second.', ...yamlLines({ waitTime: '1s' })),
    };
  }
  return undefined;
}

function yearProblem(nanoseconds: bigint): Omit<Violation, 'path'> | undefined {
  return nanoseconds > longestSensibleWait
    ? { message: 'is longer than a year (8760h)', fix: 'Check the waitTime.', atMost: 'warn' }
    : undefined;
}

/** Times that KubeFleet could read, but that the API refuses: by every release, or by the later ones. */
function spellingProblem(
  waitTime: string,
  nanoseconds: bigint,
  isStrict: boolean,
): Omit<Violation, 'path'> | undefined {
  if (schema.test(waitTime)) return undefined;
  const right = soundTime(waitTime) ?? formatDuration(nanoseconds);
  const edit = { of: 'value', to: right } as const;
  const problem = { message: 'is not spelled as the API demands', fix: write(right), edit };
  return !isStrict && formerSchema.test(waitTime) ? { ...problem, atMost: 'warn' } : problem;
}

function write(waitTime: string): string {
  return fixWith('Write the time in hours, minutes and seconds.', ...yamlLines({ waitTime }));
}

/** What was meant, in the spelling of the API, where it is a wait that nothing is wrong with. */
function soundTime(waitTime: string): string | undefined {
  const meant = meantTime(waitTime);
  return meant !== undefined && schema.test(meant) && problemOf(meant, true) === undefined ? meant : undefined;
}
