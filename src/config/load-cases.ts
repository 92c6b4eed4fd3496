import { checkedYaml, type CheckedYaml, type Problem } from './checked-yaml.js';
import { outcomes, type Case, type CasesFile } from './cases.js';
import { validateCases } from './cases-validator.js';
import { quoted } from '../fleet/quoted.js';
import { didYouMean } from '../rules/wording/did-you-mean.js';

/** Reads a file of cases; raises GuardError that lists all problems with their lines. */
export function loadCases(text: string, file: string, ruleIds: ReadonlySet<string>): CheckedYaml<CasesFile> {
  const check = ({ cases }: CasesFile): readonly Problem[] =>
    cases.flatMap((one, at) => unknownRules(one, String(at), ruleIds));
  return checkedYaml(text, file, { validate: validateCases, check });
}

function unknownRules({ expect }: Case, at: string, known: ReadonlySet<string>): readonly Problem[] {
  return outcomes.flatMap((outcome) =>
    expect[outcome].flatMap((id, index): readonly Problem[] =>
      known.has(id)
        ? []
        : [
            {
              path: ['cases', at, 'expect', outcome, String(index)],
              message: `there is no such rule as ${quoted(id)}${didYouMean(id, known)}`,
            },
          ],
    ),
  );
}
