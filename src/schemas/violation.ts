import type { Path } from '../fleet/path.js';

/** What is wrong with the shape of a manifest; the API server refuses or drops it. */
export interface ShapeViolation {
  /**
   * `missing` and `type`: nobody can say what the object means. `unknown`: its writer meant something else. The others
   * are values that the API server refuses.
   */
  readonly what: 'missing' | 'type' | 'unknown' | 'value' | 'name' | 'scope';
  readonly path: Path;
  readonly message: string;
  /** A sentence, and below it lines to paste. */
  readonly fix: string;
}
