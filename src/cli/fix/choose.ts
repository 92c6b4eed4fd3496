import type { Rule } from '../../engine/rule.js';
import type { Risk } from '../../fleet/edit.js';
import type { EditInText, Location, Replacement } from '../../sources/manifests/places.js';
import { byPlace } from '../../sources/manifests/files.js';
import { isRefusal, isWarning, type CheckReport } from '../report/model.js';
import { order } from './edited-text.js';

/** What is told of manifests, as far as `--fix` looks at it. */
interface Told extends Location {
  readonly file: string;
  readonly rule: string | undefined;
  readonly inText: EditInText | undefined;
}

/** What is put right in one file at once. */
export type Chosen = ReadonlyMap<string, readonly (readonly Replacement[])[]>;

/** What stays as it is, and why. */
export interface Left extends Location {
  readonly file: string;
  readonly rule: string | undefined;
  readonly why: string;
}

/** How far `--fix` may go, and where. */
export interface Limits {
  readonly isRiskTaken: boolean;
  readonly isOurs: (file: string) => boolean;
  readonly rules: readonly Rule[];
}

/** Edits that can be made together; what overlaps one of them has its turn when the file is judged again. */
export function chosenOf(report: CheckReport, limits: Limits): Chosen {
  const chosen = new Map<string, (readonly Replacement[])[]>();
  for (const { file, inText } of toldIn(report, limits)) {
    if (inText === undefined || 'obstacle' in inText || (inText.risk !== undefined && !limits.isRiskTaken)) continue;
    const { replacements } = inText;
    const others = chosen.get(file) ?? [];
    if (replacements.length === 0 || others.flat().some((other) => replacements.some((one) => touch(one, other))))
      continue;
    chosen.set(file, [...others, replacements]);
  }
  return chosen;
}

function touch(a: Replacement, b: Replacement): boolean {
  return order(a.start, b.end) <= 0 && order(b.start, a.end) <= 0;
}

/** What is still told when nothing more can be chosen. */
export function leftOf(report: CheckReport, limits: Limits): readonly Left[] {
  return toldIn(report, limits).map(({ inText, ...told }) => ({ ...told, why: whyLeft({ ...told, inText }, limits) }));
}

function toldIn({ errors, findings }: CheckReport, { isOurs }: Limits): readonly Told[] {
  const told = [
    ...errors.map(({ file, line = 1, column = 1, inText }) => ({ file, line, column, inText, rule: undefined })),
    ...findings
      .filter((finding) => isRefusal(finding) || isWarning(finding))
      .map(({ file, line, column, inText, rule }) => ({ file, line, column, inText, rule })),
  ];
  return told.filter(({ file }) => isOurs(file)).sort(byPlace);
}

const risks: Readonly<Record<Risk, string>> = {
  clusters: 'it changes which clusters are selected',
  names: 'it changes a name, and with it the names of approvals',
  start: 'it starts the run',
};

function whyLeft({ inText, rule }: Pick<Told, 'inText' | 'rule'>, { rules }: Limits): string {
  if (inText === undefined) {
    if (rule === undefined) return 'it cannot be read, so nobody knows what is meant';
    const asksFleet = rules.some(({ id, reads }) => id === rule && reads.length > 0);
    return asksFleet ? 'what is right depends on the hub' : 'there is more than one way to put it right';
  }
  if ('obstacle' in inText) return `the place ${inText.obstacle}`;
  if (inText.risk !== undefined) return `${risks[inText.risk]}; --fix-unsafe does it`;
  return 'it is not put right by its own edit';
}
