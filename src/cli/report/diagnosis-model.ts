import { ageText } from '../../diagnosis/ages.js';
import type { Diagnosis, Evidence, Health, StageProgress } from '../../diagnosis/diagnosis.js';
import { subjectName } from '../../engine/message.js';
import { plain } from '../../fleet/quoted.js';
import type { ManifestProblem } from '../../sources/manifests/files.js';

/** All that came of looking at runs. */
export interface DiagnosisReport {
  readonly of: 'diagnose';
  readonly diagnoses: readonly Diagnosis[];
  readonly errors: readonly ManifestProblem[];
  /** The moment from which ages are counted. */
  readonly now: number;
}

export const healthWords: Readonly<Record<Health, string>> = { wrong: 'wrong', waiting: 'waits', well: 'well' };

export function titleOf({ run }: Diagnosis): string {
  return `${run.kind} ${plain(subjectName(run))}`;
}

/** `ClusterResourceBinding web-eu-1` */
export function objectText({ object: { kind, namespace, name } }: Evidence): string {
  return `${plain(kind)} ${plain(namespace === undefined ? name : `${namespace}/${name}`)}`;
}

/** `since 2026-11-18T11:00:00Z, 5m 3s` */
export function sinceText({ since }: Evidence, now: number): string {
  if (since === undefined) return '';
  const age = ageText(since, now);
  return `since ${plain(since)}${age === undefined ? '' : `, ${age}`}`;
}

/** How far each stage has come, the removal of resources last. */
export function stageTexts({ stages, removal }: Pick<Diagnosis, 'stages' | 'removal'>): readonly string[] {
  const last = removal.length === 0 ? [] : [{ name: 'removal', clusters: removal, before: [], after: [] }];
  return [...stages, ...last].map(stageText);
}

/** `staging 2/2, canary 1/3 (eu-can-1 stuck), prod 0/12` */
export function stageText({ name, clusters }: StageProgress): string {
  const updated = clusters.filter(({ state }) => state === 'updated').length;
  const notable = clusters.filter(({ state }) => state !== 'updated' && state !== 'ahead');
  const shown = notable.slice(0, 5).map(({ name, state }) => `${plain(name)} ${state}`);
  const more = notable.length > shown.length ? [`${String(notable.length - shown.length)} more`] : [];
  const told = [...shown, ...more].join(', ');
  return `${plain(name)} ${String(updated)}/${String(clusters.length)}${told === '' ? '' : ` (${told})`}`;
}
