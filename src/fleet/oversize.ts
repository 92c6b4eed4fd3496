import type { Path } from './path.js';

/** What a strategy holds too much of to be judged, and where; of texts, the length of the first that is too long. */
export interface Oversize {
  readonly what: 'stages' | 'tasks' | 'requirements' | 'values' | 'characters';
  readonly count: number;
  readonly path: Path;
}
