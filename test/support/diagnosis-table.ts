import { expect } from '@jest/globals';
import type { Diagnosis, Health, State } from '../../src/diagnosis/diagnosis.js';
import type { HubEdits } from './hub-edits.js';

/** What the guides say of a scenario, and what to do. */
export interface Expected {
  readonly state: State;
  readonly health: Health;
  /** In the first cause. */
  readonly cause?: RegExp;
  /** `Kind field` of some evidence. */
  readonly evidence?: RegExp;
  /** A line to paste, or a sentence of the fix. */
  readonly fix?: RegExp;
}

/** A state that follows from a recorded one by small edits. */
export interface Derived extends Expected {
  readonly from: string;
  readonly edit: (hub: HubEdits) => void;
  /** The moment it is looked at, where it is not that of the recording. */
  readonly at?: string;
  /** In a later cause. */
  readonly also?: RegExp;
  /** What must not be said. */
  readonly never?: RegExp;
}

export function checkDiagnosis(found: Diagnosis, { state, health, cause, evidence, fix }: Expected): void {
  const [first] = found.causes;
  expect({ state: found.state, health: found.health }).toEqual({ state, health });
  if (cause !== undefined) expect(first?.what).toMatch(cause);
  const told = found.causes.flatMap((each) => each.evidence.map(({ object, field }) => `${object.kind} ${field}`));
  if (evidence !== undefined) expect(told.join('\n')).toMatch(evidence);
  if (fix !== undefined) expect(found.causes.map((each) => each.fix).join('\n')).toMatch(fix);
}
