/** Prints the last line of a run: `<passed> passed, <failed> failed[, <skipped> skipped]`. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites } = results;
    // a file that does not load has no failed test, yet it is a failure
    const failed = numFailedTests + numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests + results.numTodoTests;
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    // at the exit, since the summary and the global teardown come after the reporters
    process.once('exit', () =>
      process.stdout.write(`${numPassedTests} passed, ${failed} failed${tail}\n`),
    );
  }
}
