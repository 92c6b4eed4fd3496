import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

const rulesFolder = join(import.meta.dirname, '..', 'src', 'rules');

const groups = {
  fixes: 'the fix of',
  advice: 'the advice of',
  commands: 'the command in a warning of',
  warnings: 'the warning of',
  documents: 'the troubleshooting documents',
};

/** Says what the end-to-end suite has walked through: journeys, fixes executed, rules met. */
export default class EndToEndReporter {
  onRunComplete(_contexts, { testResults }) {
    const passed = testResults
      .filter(({ testFilePath }) => testFilePath.includes('/test/e2e/'))
      .flatMap(({ testResults: tests }) => tests.filter(({ status }) => status === 'passed'));
    if (passed.length === 0) return;
    const below = (title) => passed.filter(({ ancestorTitles }) => ancestorTitles.includes(title));
    const journeys = passed.filter(({ fullName }) => fullName.includes('journey: '));
    const rules = ruleIds();
    // A test of these groups, or of a journey, that meets a rule has the rule in its title.
    const meetings = [...Object.values(groups).flatMap(below), ...journeys];
    const words = new Set(meetings.flatMap(({ title }) => title.match(/[a-z]+(?:-[a-z]+)+/g) ?? []));
    const unmet = rules.filter((id) => !words.has(id));
    const lines = [
      `${journeys.length} journeys`,
      `${below(groups.fixes).length} fixes executed`,
      `${below(groups.advice).length} pieces of advice followed`,
      `${below(groups.commands).length} commands of warnings executed`,
      `${below(groups.documents).length} documented failures met`,
      `${rules.length - unmet.length} of ${rules.length} rules covered`,
    ];
    const rest = unmet.length > 0 && unmet.length <= 10 ? `; not met: ${unmet.join(', ')}` : '';
    process.stderr.write(`\nend to end: ${lines.join(', ')}${rest}\n`);
  }
}

/** A rule is a file, and its id the name of the file. */
function ruleIds() {
  return readdirSync(rulesFolder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /[\\/].*\.ts$/.test(path) && !path.startsWith('wording'))
    .map((path) => basename(path, '.ts'))
    .sort();
}
