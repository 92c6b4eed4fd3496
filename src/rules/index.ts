import type { Rule } from '../engine/rule.js';

/** Every rule, in the order of the documentation; a rule stands after its premises. */
export const catalogue: readonly Rule[] = [];

/** Ids that were released once and are gone; they are never used again. */
export const retiredIds: ReadonlySet<string> = new Set();
