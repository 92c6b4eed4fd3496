import type { Rule } from '../engine/rule.js';
import runPlacementExists from './run/run-placement-exists.js';
import runPlacementExternal from './run/run-placement-external.js';
import runSnapshotExists from './run/run-snapshot-exists.js';
import runSnapshotIndex from './run/run-snapshot-index.js';
import runStrategyExists from './run/run-strategy-exists.js';

/** Every rule, in the order of the documentation; a rule stands after its premises. */
export const catalogue: readonly Rule[] = [
  runPlacementExists,
  runPlacementExternal,
  runStrategyExists,
  runSnapshotIndex,
  runSnapshotExists,
];

/** Ids that were released once and are gone; they are never used again. */
export const retiredIds: ReadonlySet<string> = new Set();
