import { writeFile } from 'node:fs/promises';
import { InvalidArgumentError, Option } from 'commander';
import { describe, GuardError } from '../../errors.js';
import { plain } from '../../fleet/quoted.js';
import { entries } from '../../config/entries.js';
import { isWrittenOutOfRepository } from '../../repository.js';
import type { Io } from '../program/io.js';
import type { CasesReport } from './cases-model.js';
import type { DiagnosisReport } from './diagnosis-model.js';
import type { FailOn, PlanReport, Report } from './model.js';
import type { ReportOptions } from './options.js';
import { styleOf } from './style.js';
import { textReport } from './text.js';

type Format<R> = (report: R, options: ReportOptions) => string;

type Formats<R> = Readonly<Record<string, () => Promise<Format<R>>>>;

/** Each is one file, which is loaded when it is asked for. */
const common: Formats<Report> = {
  text: () => Promise.resolve(textReport),
  json: async () => (await import('./json.js')).jsonReport,
  sarif: async () => (await import('./sarif.js')).sarifReport,
  junit: async () => (await import('./junit.js')).junitReport,
  github: async () => (await import('./github.js')).githubReport,
  gitlab: async () => (await import('./gitlab.js')).gitlabReport,
  markdown: async () => (await import('./markdown.js')).markdownReport,
};

interface ReportOf {
  readonly check: Report;
  readonly plan: PlanReport;
  readonly audit: Report;
  readonly diagnose: DiagnosisReport;
  readonly test: CasesReport;
}

/** Which formats a command has. */
export const formats: { readonly [C in keyof ReportOf]: Formats<ReportOf[C]> } = {
  check: common,
  plan: { ...common, html: async () => (await import('./html.js')).htmlReport },
  audit: common,
  diagnose: {
    text: async () => (await import('./diagnosis-text.js')).diagnosisText,
    json: async () => (await import('./diagnosis-json.js')).diagnosisJson,
    markdown: async () => (await import('./diagnosis-markdown.js')).diagnosisMarkdown,
    html: async () => (await import('./diagnosis-html.js')).diagnosisHtml,
  },
  test: {
    text: async () => (await import('./cases-text.js')).casesText,
    json: async () => (await import('./cases-json.js')).casesJson,
    junit: async () => (await import('./cases-junit.js')).casesJunit,
  },
};

/** One report that is asked for: to standard output, or into a file. */
export interface Wanted {
  readonly format: string;
  readonly file?: string;
}

/** `--format text --format sarif=out.sarif` */
export function formatOption(command: keyof ReportOf): Option {
  const names = Object.keys(formats[command]);
  const help = 'how to report, with =FILE into a file; may be given several times (default: text)';
  // choices() would read the option itself, and knows nothing of the file behind the format.
  return Object.assign(new Option('--format <format[=file]>', help), { argChoices: names }).argParser(
    (value: string, given: readonly Wanted[] | undefined) => {
      const before = given ?? [];
      const wanted = wantedIn(value, names);
      const other = before.find(({ file }) => file === wanted.file);
      if (other !== undefined) throw new InvalidArgumentError(twoToOne(other, wanted));
      return [...before, wanted];
    },
  );
}

function twoToOne({ format, file }: Wanted, second: Wanted): string {
  const place = file === undefined ? 'standard output' : plain(file);
  return `Only one report can go to ${place}; write --format ${second.format}=FILE beside --format ${format}.`;
}

function wantedIn(value: string, names: readonly string[]): Wanted {
  const at = value.indexOf('=');
  const [format, file] = at < 0 ? [value, undefined] : [value.slice(0, at), value.slice(at + 1)];
  if (!names.includes(format)) throw new InvalidArgumentError(`Allowed choices are ${names.join(', ')}.`);
  if (file === '') throw new InvalidArgumentError('There is no file after the "=".');
  return { format, ...(file !== undefined && { file }) };
}

/** What of a command line says how to report. */
export interface FormatOptions {
  readonly format?: readonly Wanted[];
  readonly failOn?: FailOn;
  readonly quiet?: boolean;
}

/** Prints a report in every format that is asked for; people get the text where nothing else goes to standard output. */
export async function printReport<C extends keyof ReportOf>(
  report: ReportOf[C] & { readonly of: C },
  { format: given = [], failOn = 'deny', quiet = false }: FormatOptions,
  io: Io,
): Promise<void> {
  const shown = given.find(({ file }) => file === undefined) ?? { format: 'text' };
  const textIn = async ({ format }: Wanted, isColoured: boolean): Promise<string> => {
    const render = await formats[report.of][format]?.();
    if (render === undefined) throw new Error(`no format ${format}`);
    const how = { style: styleOf(isColoured), isQuiet: quiet, failOn };
    return render(report, { ...how, folder: process.cwd(), rules: entries });
  };
  io.out(await textIn(shown, io.isColoured));
  for (const { format, file } of given) if (file !== undefined) await save(file, await textIn({ format }, false));
}

async function save(file: string, text: string): Promise<void> {
  if (isWrittenOutOfRepository(file)) {
    throw new GuardError('INPUT_USAGE', `${plain(file)}: is not written, for a link leads out of the repository`);
  }
  try {
    await writeFile(file, text);
  } catch (cause) {
    throw new GuardError('INPUT_USAGE', `${plain(file)}: cannot be written: ${describe(cause)}`, { cause });
  }
}
