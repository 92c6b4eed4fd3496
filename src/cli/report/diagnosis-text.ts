import type { Cause, Diagnosis, Health } from '../../diagnosis/diagnosis.js';
import { count } from '../../engine/message.js';
import { plain, visible } from '../../fleet/quoted.js';
import { objectText, sinceText, stageTexts, titleOf, type DiagnosisReport } from './diagnosis-model.js';
import type { ReportOptions } from './options.js';
import { indent, type Style } from './style.js';

type TextOptions = Pick<ReportOptions, 'style'>;

const colours: Readonly<Record<Health, Parameters<Style>[0]>> = { wrong: 'red', waiting: 'yellow', well: 'green' };

/** For people: what each run does, why, on what that rests, and what to do. */
export function diagnosisText({ diagnoses, errors, now }: DiagnosisReport, { style }: TextOptions): string {
  const options = { style, now };
  const blocks = [
    ...errors.map(({ file, message }) => `${style('red', 'error')}: ${plain(file)}: ${visible(message)}`),
    ...diagnoses.map((diagnosis) => runText(diagnosis, options)),
    summary(diagnoses),
  ];
  return blocks.map((block) => `${block}\n`).join('\n');
}

function runText(diagnosis: Diagnosis, options: TextOptions & { readonly now: number }): string {
  const { style } = options;
  const { health, doing, causes, expect, unseen, stages, removal } = diagnosis;
  const progress = stageTexts({ stages, removal });
  const lines = [
    `${style('bold', titleOf(diagnosis))}: ${style(colours[health], visible(doing))}`,
    ...(progress.length > 0 ? [`  stages: ${progress.join(', ')}`] : []),
    ...causes.map((cause, at) => indent(causeText(cause, at, { ...options, of: causes.length }), 2)),
    ...expect.map((text) => `  ${style('dim', text)}`),
    ...(unseen.length > 0 ? [`  ${style('cyan', 'not seen')}: ${visible(unseen.join(', '))}`] : []),
  ];
  return lines.join('\n');
}

function causeText(
  { what, evidence, fix, rule }: Cause,
  at: number,
  options: TextOptions & { readonly now: number } & { of: number },
): string {
  const { style, now, of } = options;
  const [sentence = '', ...commands] = fix.split('\n');
  return [
    `${style('bold', of > 1 ? `why (${String(at + 1)})` : 'why')}: ${visible(what)}${rule === undefined ? '' : ` [${rule}]`}`,
    ...evidence.map((one) => {
      const since = sinceText(one, now);
      return `  ${objectText(one)} ${visible(one.field)}: ${visible(one.value)}${since === '' ? '' : ` (${since})`}`;
    }),
    ...(sentence === '' ? [] : [`${style('bold', 'do')}: ${visible(sentence)}`]),
    ...commands.map((line) => `    ${visible(line)}`),
  ].join('\n');
}

function summary(diagnoses: readonly Diagnosis[]): string {
  const number = (health: Health): number => diagnoses.filter((one) => one.health === health).length;
  if (diagnoses.length === 0) return 'no runs that are not over';
  return `${count(diagnoses.length, 'run')}: ${String(number('wrong'))} with a problem, ${String(number('waiting'))} waiting as planned, ${String(number('well'))} well`;
}
