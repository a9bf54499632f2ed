/**
 * Skips the suite whose `before` hook calls this, and puts the reason into its
 * title, where the reporter finds it. Does not return.
 */
export function skipSuite(context: Mocha.Context, reason: string): never {
  const suite = context.test?.parent;
  if (suite !== undefined) suite.title += ` (skipped: ${reason})`;
  context.skip();
}
