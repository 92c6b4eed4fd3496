import { outcomes, type Outcome, type Said } from '../../config/cases.js';
import type { RuleFailure } from '../../engine/verdict.js';
import type { Place, ReportedFinding } from './model.js';

/** What came of a case. */
export interface CaseResult extends Place {
  readonly name: string;
  readonly expected: Said;
  readonly found: Said;
  readonly findings: readonly ReportedFinding[];
  /** What cannot be read of the case, so that nobody knows what the rules say. */
  readonly errors: readonly string[];
}

/** What came of all cases. */
export interface CasesReport {
  readonly of: 'test';
  readonly results: readonly CaseResult[];
  readonly failures: readonly RuleFailure[];
}

export type CaseStanding = 'passed' | 'failed' | 'error';

export function standingOfCase({ errors, ...result }: CaseResult): CaseStanding {
  if (errors.length > 0) return 'error';
  return differences(result).length === 0 ? 'passed' : 'failed';
}

/** Where the rules say something else than is expected: `refused: expected run-placement-free, found nothing`. */
export function differences({ expected, found }: Pick<CaseResult, 'expected' | 'found'>): readonly string[] {
  return outcomes.flatMap((outcome) => {
    const [wanted, said] = [expected, found].map((each) => listOf(each, outcome));
    return wanted === said ? [] : [`${outcome}: expected ${wanted ?? ''}, found ${said ?? ''}`];
  });
}

function listOf(said: Said, outcome: Outcome): string {
  return [...new Set(said[outcome])].sort().join(', ') || 'nothing';
}
