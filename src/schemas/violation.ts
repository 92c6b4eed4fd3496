import type { Edit } from '../fleet/edit.js';
import type { Path } from '../fleet/path.js';

/** What is wrong with the shape of a manifest; the API server refuses or drops it. */
export interface ShapeViolation {
  /**
   * `missing` and `type`: nobody can say what the object means. `unknown`: its writer meant something else. `empty`: the
   * API server drops it. The others are values that the API server refuses.
   */
  readonly what: 'missing' | 'type' | 'unknown' | 'empty' | 'value' | 'name' | 'scope';
  readonly path: Path;
  readonly message: string;
  /** A sentence, and below it lines to paste. */
  readonly fix: string;
  /** Of a field that is not known: the one beside it that was meant. */
  readonly meant?: string;
  /** What stands there instead, where the text alone can be put right. */
  readonly edit?: Edit;
}
