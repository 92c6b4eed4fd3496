import { ageOf } from '../../diagnosis/ages.js';
import type { Cause, Diagnosis } from '../../diagnosis/diagnosis.js';
import { plain } from '../../fleet/quoted.js';
import type { DiagnosisReport } from './diagnosis-model.js';
import { jsonText } from './json-text.js';

/** For programs; docs/diagnose.md says what each field means. */
export function diagnosisJson({ diagnoses, errors, now }: DiagnosisReport): string {
  return jsonText({
    runs: diagnoses.map((diagnosis) => runJson(diagnosis, now)),
    errors: errors.map(({ file, message }) => `${plain(file)}: ${message}`),
  });
}

function runJson({ run, causes, ...rest }: Diagnosis, now: number): object {
  const { kind, namespace, name } = run;
  const { state, health, doing, expect, unseen, stages, removal } = rest;
  return {
    kind,
    namespace,
    name,
    state,
    health,
    doing,
    causes: causes.map((cause) => causeJson(cause, now)),
    expect,
    unseen,
    stages,
    removal,
  };
}

function causeJson({ what, evidence, fix, rule }: Cause, now: number): object {
  const [sentence = '', ...commands] = fix.split('\n');
  return {
    what,
    rule,
    evidence: evidence.map(({ object, field, value, since }) => {
      const age = ageOf(since, now);
      return { ...object, field, value, since, ageSeconds: age === undefined ? undefined : Math.round(age / 1000) };
    }),
    fix: sentence,
    commands,
  };
}
