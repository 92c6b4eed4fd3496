import { entriesOf, type Entry } from './entries.js';
import { jsonText } from './json-text.js';
import { nameOf, type Report } from './model.js';
import type { ReportOptions } from './options.js';

/** A Code Quality report of GitLab: what is told in a merge request beside the lines it is about. */
export function gitlabReport(report: Report, { folder }: ReportOptions): string {
  return jsonText(entriesOf(report, folder).flatMap((entry) => issue(entry)));
}

const severities = { error: 'blocker', refused: 'critical', warning: 'minor', audited: 'info' } as const;

function issue({ standing, rule, subject, message, path, place, fingerprint }: Entry): readonly object[] {
  // What could not be checked is no problem of the change, and GitLab has no word for it.
  if (standing === 'unknown') return [];
  const name = subject === undefined ? '' : `${nameOf(subject)}: `;
  const field = path === '' ? '' : `${path}: `;
  return [
    {
      description: `${name}${field}${message}`,
      check_name: rule,
      fingerprint,
      severity: severities[standing],
      // Every issue needs a path; of what stands in no file, the object tells more than nothing.
      location: {
        path: place?.file ?? (subject === undefined ? '-' : nameOf(subject)),
        lines: { begin: place?.line ?? 1 },
      },
    },
  ];
}
