import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const reporter = join(import.meta.dirname, '..', 'tools', 'e2e-reporter.mjs');

/** What the reporter says of tests that have passed, given by their group and title. */
function said(...tests: readonly (readonly [string, string])[]): string {
  const testResults = tests.map(([group, title]) => ({
    ...{ status: 'passed', ancestorTitles: [group], title },
    fullName: `${group} ${title}`,
  }));
  const results = JSON.stringify({ testResults: [{ testFilePath: '/test/e2e/a.test.ts', testResults }] });
  const script = `const { default: Reporter } = await import('${reporter}'); new Reporter().onRunComplete([], ${results});`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stderr;
}

test('a fix counts as executed where there was something to paste, a rule as met where a test is about it', () => {
  const text = said(
    ['the fix of', 'run-finished, where it is over'],
    ['the advice of', 'run-status-owner, where somebody else writes it'],
    ['somewhere else', 'run-deleted is only spoken of'],
    ['journey: a strategy', 'strategy-in-use'],
  );
  expect(text).toContain('1 journeys, 1 fixes executed, 1 pieces of advice followed, ');
  expect(text).toContain(' 3 of ');
});
