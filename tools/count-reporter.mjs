/** Prints the totals of a run on one plain line, for scripts that read the log. */
export default class CountReporter {
  onRunComplete(_contexts, results) {
    // A suite that does not load holds no counted test, yet it is a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    process.stderr.write(`\n${results.numPassedTests} passed, ${failed} failed, ${skipped} skipped\n`);
  }
}
