import type { Entry } from '../../engine/rule.js';
import type { FailOn } from './model.js';
import type { Style } from './style.js';

/** How a report is wanted; each format takes of it what it can show. */
export interface ReportOptions {
  readonly style: Style;
  /** Only what fails, or cannot be read. */
  readonly isQuiet?: boolean;
  readonly failOn?: FailOn;
  /** The working folder: programs that read reports know files by where they stand below it. */
  readonly folder: string;
  /** Everything that findings can come from, for formats that explain their rules. */
  readonly rules: readonly Entry[];
}
