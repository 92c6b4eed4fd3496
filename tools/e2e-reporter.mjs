/** Says what the end-to-end suite has walked through: journeys, fixes executed, rules met. */
export default class EndToEndReporter {
  onRunComplete(_contexts, { testResults }) {
    const passed = testResults
      .filter(({ testFilePath }) => testFilePath.includes('/test/e2e/'))
      .flatMap(({ testResults: tests }) => tests.filter(({ status }) => status === 'passed'));
    if (passed.length === 0) return;
    const journeys = passed.filter(({ fullName }) => fullName.includes('journey: '));
    const fixes = passed.filter(({ ancestorTitles }) => ancestorTitles.includes('the fix of'));
    const failures = passed.filter(({ ancestorTitles }) => ancestorTitles.includes('the troubleshooting documents'));
    const rules = new Set([
      ...fixes.map(({ title }) => /^[a-z-]+/.exec(title)?.[0]),
      ...failures.map(({ title }) => / by ([a-z-]+)$/.exec(title)?.[1]),
    ]);
    const line = [
      `${journeys.length} journeys`,
      `${fixes.length} fixes executed`,
      `${failures.length} documented failures met`,
      `${rules.size} rules covered`,
    ];
    process.stderr.write(`\nend to end: ${line.join(', ')}\n`);
  }
}
