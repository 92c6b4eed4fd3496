import { count } from '../../engine/message.js';
import type { PassedOver, Reason } from '../../sources/manifests/passing-over.js';
import { isAudited, isRefusal, isWarning, type CheckReport } from './model.js';
import type { Style } from './style.js';

/** The last line of a check, and what it has not looked at. */
export function checkSummary(report: CheckReport, style: Style): string {
  const { files, checked, passedOver, filesPassedOver } = report;
  const others = passedOver === 0 ? '' : ` (${count(passedOver, 'object')} of other kinds passed over)`;
  const lines = [
    `${count(files, 'file')}, ${count(checked, 'object')}: ${outcome(report, style)}${others}`,
    passedOverLine(filesPassedOver),
    suppressedLine(report),
  ];
  return lines.filter((line) => line !== '').join('\n');
}

function outcome({ findings, errors, unused }: CheckReport, style: Style): string {
  const refused = new Set(findings.filter(isRefusal).map(({ file, subject }) => `${file} ${JSON.stringify(subject)}`))
    .size;
  const warnings = findings.filter(isWarning).length + unused.length;
  const audited = findings.filter(isAudited).length;
  const parts = [
    ...(errors.length > 0 ? [style('red', count(errors.length, 'error'))] : []),
    ...(refused > 0 ? [style('red', `${String(refused)} refused`)] : []),
    ...(warnings > 0 ? [style('yellow', count(warnings, 'warning'))] : []),
    ...(audited > 0 ? [style('cyan', `${String(audited)} audited`)] : []),
  ];
  return parts.length === 0 ? style('green', 'no problems found') : parts.join(', ');
}

const passedOverTexts: Readonly<Record<Reason, (number: number) => string>> = {
  withoutObjects: (number) => `${count(number, 'file')} without objects of KubeFleet`,
  ignored: (number) => `${number} by .gitignore`,
  excluded: (number) => `${number} by --exclude`,
  templates: (number) => `the Helm templates of ${count(number, 'chart')}`,
  patches: (number) => `${number} kustomize ${number === 1 ? 'patch' : 'patches'}`,
  packages: (number) => `${number} node_modules`,
};

function passedOverLine(passed: PassedOver): string {
  const parts = Object.entries(passed).map(([reason, number]) => passedOverTexts[reason as Reason](number));
  return parts.length === 0 ? '' : `passed over: ${parts.join(', ')}`;
}

/** A comment in a file cannot keep the webhook from refusing, and must not look as if it did. */
function suppressedLine({ suppressed }: CheckReport): string {
  if (suppressed.length === 0) return '';
  const refused = suppressed.filter(isRefusal).length;
  const still = refused === 0 ? '' : `; the webhook sees no comments, and refuses ${refused} of them still`;
  return `suppressed by comments: ${count(suppressed.length, 'finding')}${still}`;
}
