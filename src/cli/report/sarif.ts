import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { subjectName } from '../../engine/message.js';
import type { Severity } from '../../engine/rule.js';
import { describe } from '../../errors.js';
import { visible } from '../../fleet/quoted.js';
import { version } from '../../version.js';
import { manifestChecks } from '../../guard/manifest-checks.js';
import { softenLines } from './rule-lines.js';
import { entriesOf, suppressedEntries, unreadable, unusedComment, type Entry, type EntryPlace } from './entries.js';
import { jsonText } from './json-text.js';
import type { Report } from './model.js';
import type { ReportOptions } from './options.js';

/** SARIF 2.1.0. What stands in a file has a physical place; objects of a hub are logical locations alone. */
export function sarifReport(report: Report, { folder, rules }: ReportOptions): string {
  const entries = entriesOf(report, folder);
  const hidden = report.of === 'check' ? suppressedEntries(report, folder) : [];
  const ids = [...new Set([...entries, ...hidden].map(({ rule }) => rule))].sort();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'stageguard',
            version,
            semanticVersion: version,
            rules: ids.map((id) => descriptorOf(id, rules)),
          },
        },
        columnKind: 'utf16CodeUnits',
        // Where relative addresses begin, whoever reads them knows best.
        originalUriBaseIds: { [root]: { description: { text: 'The folder that stageguard was run in.' } } },
        invocations: [{ executionSuccessful: report.failures.length === 0, ...notificationsOf(report) }],
        results: [
          ...entries.map((entry) => resultOf(entry, ids)),
          ...hidden.map(({ reason, ...entry }) => ({
            ...resultOf(entry, ids),
            suppressions: [{ kind: 'inSource', justification: messageText(reason) }],
          })),
        ],
      },
    ],
  };
  return jsonText(log);
}

const root = 'SRCROOT';

function notificationsOf({ failures }: Report): object {
  if (failures.length === 0) return {};
  return {
    toolExecutionNotifications: failures.map(({ rule, error }) => ({
      level: 'error',
      message: { text: messageText(`rule ${rule}: ${visible(describe(error))}`) },
      associatedRule: { id: rule },
    })),
  };
}

const severityLevels: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  deny: 'error',
  warn: 'warning',
  audit: 'note',
};

/** Rules as they come; a report can hold the findings of rules that a test has made up. */
function descriptorOf(id: string, rules: ReportOptions['rules']): object {
  if (id === unreadable) return unreadableRule;
  if (id === unusedComment) return unusedRule;
  const rule = rules.find((entry) => entry.id === id);
  if (rule === undefined) {
    const check = Object.values(manifestChecks).find((one) => one.id === id);
    if (check === undefined) return { id };
    const help = { text: check.why, markdown: check.why };
    return { id, shortDescription: { text: `${check.title}.` }, fullDescription: { text: check.why }, help };
  }
  const { title, why, fix, severity } = rule;
  const yaml = ['```yaml', ...softenLines(rule), '```'].join('\n');
  return {
    id,
    shortDescription: { text: `${title}.` },
    fullDescription: { text: why },
    help: {
      text: `${why}\n${fix}`,
      markdown: `${why}\n\n**Fix.** ${fix}\n\nTo soften it, in the config file:\n\n${yaml}\n`,
    },
    defaultConfiguration: { level: severityLevels[severity] },
  };
}

const unreadableRule = {
  id: unreadable,
  shortDescription: { text: 'Every manifest can be read.' },
  fullDescription: { text: 'What cannot be read, or has not the shape of its kind, cannot be judged.' },
  defaultConfiguration: { level: 'error' },
};

const unusedRule = {
  id: unusedComment,
  shortDescription: { text: 'A comment that suppresses a rule is needed.' },
  fullDescription: { text: 'What it names is not found where it stands; it would hide what comes later.' },
  defaultConfiguration: { level: 'warning' },
};

const levels = { error: 'error', refused: 'error', warning: 'warning', audited: 'note', unknown: 'none' } as const;

function resultOf(entry: Entry, ids: readonly string[]): object {
  const { standing, rule, message, fix, fingerprint } = entry;
  return {
    ruleId: rule,
    ruleIndex: ids.indexOf(rule),
    // The word of the standard for: there is not enough to decide.
    kind: standing === 'unknown' ? 'open' : 'fail',
    level: levels[standing],
    message: { text: messageText(fix === undefined ? message : `${message}\nFix: ${fix}`) },
    locations: [locationOf(entry)],
    partialFingerprints: { 'stageguard/v1': fingerprint },
    ...fixesOf(entry),
  };
}

/** For whoever applies it at a click. */
function fixesOf({ place, inText, fix }: Entry): object {
  if (place === undefined || inText === undefined || 'obstacle' in inText) return {};
  const replacements = inText.replacements.map(({ start, end, text }) => ({
    deletedRegion: {
      ...{ startLine: start.line, startColumn: start.column },
      ...{ endLine: end.line, endColumn: end.column },
    },
    insertedContent: { text },
  }));
  const description = { text: messageText(fix?.split('\n')[0] ?? 'Put it right.') };
  return { fixes: [{ description, artifactChanges: [{ artifactLocation: artifact(place.file), replacements }] }] };
}

/** Brackets before a parenthesis would make a link of what somebody else has written. */
function messageText(text: string): string {
  return text.replaceAll('](', '\\](');
}

function locationOf({ place, subject, path }: Entry): object {
  return {
    ...(place !== undefined && { physicalLocation: physical(place) }),
    ...(subject !== undefined && {
      logicalLocations: [
        { fullyQualifiedName: [subject.kind, subjectName(subject), path].filter(Boolean).join('/'), kind: 'object' },
      ],
    }),
  };
}

function physical({ file, line, column }: EntryPlace): object {
  return { artifactLocation: artifact(file), region: { startLine: line, startColumn: column } };
}

/** Relative to the folder of the run, or a whole address. */
function artifact(file: string): object {
  if (resolve(file) === file) return { uri: pathToFileURL(file).href };
  return { uri: wellFormed(file).split('/').map(encodeURIComponent).join('/'), uriBaseId: root };
}

/** Half a character has no place in an address. */
function wellFormed(text: string): string {
  return text.replaceAll(/\p{Cs}/gu, '\ufffd');
}
