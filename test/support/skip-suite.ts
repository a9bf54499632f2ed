/** Skips the test that calls this, or that the `beforeEach` hook which calls it belongs to, with the reason in its title. */
export function skipTest(context: Mocha.Context, reason: string): never {
  const { test: running, currentTest } = context;
  const test = running !== undefined && 'type' in running && running.type === 'hook' ? currentTest : running;
  if (test !== undefined) test.title += ` (skipped: ${reason})`;
  context.skip();
}

/**
 * Skips the suite whose `before` hook calls this, and puts the reason into its
 * title, where the reporter finds it. Does not return.
 */
export function skipSuite(context: Mocha.Context, reason: string): never {
  const suite = context.test?.parent;
  if (suite !== undefined) suite.title += ` (skipped: ${reason})`;
  context.skip();
}
