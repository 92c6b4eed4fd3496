import type { Decision } from '../../src/engine/verdict.js';
import type { World } from './world.js';

/** A world in which the controller does harm, and the nearest one in which it does not. */
export interface Row {
  /** What the controller does with the write. */
  readonly controller: string;
  readonly decision: Decision;
  /** The rules that must speak. */
  readonly rules: readonly string[];
  /** The nearest good world: it is admitted, and none of these rules says a word. */
  readonly neighbour: string;
  readonly repair: (world: World) => void;
  /** Where the twins differ, the scope in which the controller does so. */
  readonly only?: 'namespaced';
}
