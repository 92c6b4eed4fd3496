import type { Cause, Diagnosis } from '../../diagnosis/diagnosis.js';
import { plain, visible } from '../../fleet/quoted.js';
import { objectText, sinceText, stageText, titleOf, type DiagnosisReport } from './diagnosis-model.js';

/** For a ticket. What somebody else wrote stands as code, so that it formats nothing and links nowhere. */
export function diagnosisMarkdown({ diagnoses, errors, now }: DiagnosisReport): string {
  const parts = [
    ...errors.map(({ file, message }) => `**error** ${code(plain(file))}: ${code(message)}`),
    ...diagnoses.map((diagnosis) => section(diagnosis, now)),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(diagnosis: Diagnosis, now: number): string {
  const { doing, causes, expect, unseen, stages } = diagnosis;
  return [
    `## ${code(titleOf(diagnosis))}`,
    `**${diagnosis.state}**: ${escaped(doing)}`,
    ...(stages.length > 0 ? [stages.map((stage) => `- ${escaped(stageText(stage))}`).join('\n')] : []),
    ...causes.map((cause) => causeSection(cause, now)),
    ...(expect.length > 0 ? [expect.map((text) => `> ${escaped(text)}`).join('\n')] : []),
    ...(unseen.length > 0 ? [`Not seen: ${escaped(unseen.join(', '))}`] : []),
  ].join('\n\n');
}

function causeSection({ what, evidence, fix }: Cause, now: number): string {
  const [sentence = '', ...commands] = fix.split('\n');
  const rows = evidence.map(
    (one) => `| ${code(objectText(one))} | ${code(one.field)} | ${code(one.value)} | ${escaped(sinceText(one, now))} |`,
  );
  return [
    `**Why:** ${escaped(what)}`,
    ...(rows.length > 0
      ? [['| object | field | value | since |', '| --- | --- | --- | --- |', ...rows].join('\n')]
      : []),
    ...(sentence === '' ? [] : [`**Do:** ${escaped(sentence)}`]),
    ...(commands.length > 0 ? [fenced(commands)] : []),
  ].join('\n\n');
}

/** Longer than any row of backticks inside. */
function fenced(lines: readonly string[]): string {
  const text = lines.map(visible).join('\n');
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}sh\n${text}\n${fence}`;
}

/** One cell or word that means only itself; a pipe would end the cell even in code. */
function code(text: string): string {
  const shown = visible(text).replaceAll('|', '\\|');
  const longest = Math.max(0, ...Array.from(shown.matchAll(/`+/g), ([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  const pad = longest > 0 ? ' ' : '';
  return `${ticks}${pad}${shown}${pad}${ticks}`;
}

function escaped(text: string): string {
  // A name behind an at sign is told of every ticket that holds it; the comment keeps the two apart and is not seen.
  return visible(text)
    .replaceAll(/[\\`*_{}[\]<>|#~!]/g, '\\$&')
    .replaceAll('@', '@<!-- -->');
}
