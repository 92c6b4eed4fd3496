import { Command } from 'commander';
import { exitCodes } from '../errors.js';
import { tellFailures } from './program/bug-report.js';
import { judgeCase } from './cases/judge-case.js';
import { readCases } from './cases/read-cases.js';
import type { Invocation } from './program/invocation.js';
import { standingOfCase, type CaseResult, type CasesReport } from './report/cases-model.js';
import { formatOption, printReport, type FormatOptions } from './report/formats.js';

interface TestOptions extends FormatOptions {
  readonly config?: string;
  readonly debug?: boolean;
}

const examples = `
A case says: given this hub, this write, the rules say that. What the hub that is given does not hold
does not exist. docs/test.md has the form; schemas/cases.schema.json tells editors about it.

Examples:
  stageguard test cases.yaml                          with the settings that cases.yaml names
  stageguard test cases.yaml --config config.yaml     with others, before they are put in force
  stageguard test cases/*.yaml --format junit=cases.xml`;

export function testCommand({ io, exitWith, rules }: Invocation): Command {
  return new Command('test')
    .description('try your settings on cases that you write: given a hub, this write, expect these rules')
    .argument('<cases...>', 'files of cases')
    .option('--config <file>', 'settings in the place of those that the cases name')
    .addOption(formatOption('test'))
    .option('--quiet', 'in text, only cases that do not pass')
    .addHelpText('after', examples)
    .action(async (files: string[], _: unknown, invoked: Command) => {
      const options = invoked.optsWithGlobals<TestOptions>();
      const report = await judged(files, { rules, config: options.config, now: io.now() });
      await printReport(report, options, io);
      tellFailures(report.failures, io, options.debug ?? false);
      exitWith(exitCodeOf(report));
    });
}

async function judged(files: readonly string[], judging: Parameters<typeof readCases>[1]): Promise<CasesReport> {
  const results: CaseResult[] = [];
  const failures: CasesReport['failures'][number][] = [];
  for (const file of new Set(files)) {
    for await (const { line, column, ...input } of readCases(file, judging)) {
      const { name, expect: expected } = input.one;
      const outcome = judgeCase(input);
      results.push({ name, file, line, column, expected, ...outcome });
      failures.push(...outcome.failures);
    }
  }
  return { of: 'test', results, failures };
}

function exitCodeOf({ results, failures }: CasesReport): number {
  const standings = results.map(standingOfCase);
  if (failures.length > 0) return exitCodes.bug;
  if (standings.includes('error')) return exitCodes.unusable;
  return standings.includes('failed') ? exitCodes.refused : exitCodes.clean;
}
