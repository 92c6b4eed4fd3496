/** Prints the totals of a run on one plain line, for scripts that read the log. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    // A suite that does not load holds no counted test, yet it is a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const line = `\n${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`;
    // Jest's own summary comes after its reporters; this line is to be the last.
    process.once('exit', () => process.stderr.write(line));
  }
}
