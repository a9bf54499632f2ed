import path from 'node:path';
import { run } from '../../../scripts/run.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';

/** Packages of the repository cannot be imported before the build. */
const NOTHING_IS_BUILT = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(name, context, next) {
    if (name.startsWith('@portolan/')) throw new Error(name + ' is not built yet, and imported by ' + context.parentURL);
    return next(name, context);
  },
});
`;

describe('scripts/build.ts', function () {
  this.timeout(60_000);

  it('works in a tree that has never been built', async () => {
    const hooks = `data:text/javascript,${encodeURIComponent(NOTHING_IS_BUILT)}`;
    const script = path.join(ROOT, 'scripts/build.ts');
    await run(process.execPath, ['--import', hooks, '-e', `await import(${JSON.stringify(script)})`]);
  });
});
