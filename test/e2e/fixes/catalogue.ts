import { catalogue } from '../../../src/rules/index.js';
import { printedFixes } from '../../support/printed-fixes.js';
import { approvalCases } from './approval-cases.js';
import type { FixCase } from './case.js';
import { conflictCases } from './conflict-cases.js';
import { resumeCases, strictResumeCases } from './resume-cases.js';
import { runCases } from './run-cases.js';
import { snapshotCases } from './snapshot-cases.js';
import { schedulingCases } from './scheduling-cases.js';
import { stageCases } from './stage-cases.js';
import { strategyCases } from './strategy-cases.js';
import { strictCases } from './strict-cases.js';

/** Rules that warn unless the operator wants more. */
export const softRules: readonly string[] = catalogue.filter(({ severity }) => severity === 'warn').map(({ id }) => id);

/** Those of them that print something to paste where they refuse. */
export const strictRules = Object.fromEntries(
  softRules.filter((id) => printedFixes[id] !== undefined).map((id) => [id, 'deny']),
);

/** Rules that no write gets to, since the API server refuses what they are about. */
export const isOutOfReach = (rule: string): boolean =>
  printedFixes[rule] !== undefined &&
  Object.keys(printedFixes[rule]).every((when) => unprintable[rule]?.[when] === refusedBefore);

/** What is tried where the rules have their own modes, and where warnings are refusals. */
export const caseGroups: Readonly<Record<'asShipped' | 'strict', readonly FixCase[]>> = {
  asShipped: [...runCases, ...snapshotCases, ...conflictCases, ...resumeCases],
  strict: [...strictCases, ...strictResumeCases, ...approvalCases, ...stageCases, ...schedulingCases, ...strategyCases],
};

const refusedBefore = 'the API server refuses it before it asks the guard; `stageguard check` prints it';

/** Fixes that no kubectl gets to print, by rule, and why. */
export const unprintable: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'run-fixed-fields': {
    'the name is taken': refusedBefore,
    'it goes back': refusedBefore,
    'it was never started': refusedBefore,
  },
  'run-placement-free': {
    'another run is being stored': 'kubectl is told to come back, and by its last attempt the matter is settled',
    'another run is being stored and this one is started': 'the same',
  },
  'strategy-max-concurrency': {
    'it is in quotes': refusedBefore,
  },
};
