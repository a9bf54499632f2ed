import { expect } from 'chai';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { changeWorkload } from '../../src/run/operations/change-workload.ts';
import type { Difference, RunObserver } from '../../src/run/run-observer.ts';
import { keepContext, runningWorkload } from '../support/keep-context.ts';

const folders = new TemporaryFolders();

const ignore = (): void => undefined;

describe('changeWorkload', () => {
  afterEach(() => folders.removeAll());

  for (const [title, tools, changes] of [
    ['a dry run', ['echo'], 1],
    ['settings that are already set', ['add'], 0],
  ] as const) {
    it(`returns the difference without showing it as well, for ${title}`, async () => {
      const base = keepContext(await folders.make());
      const accepting = { checkProxyMiddleware: async () => [], checkAuthProvider: async () => undefined };
      const context = { ...base, kinds: { ...base.kinds, ...accepting } };
      await runningWorkload(context, 'notes', { tools_filter: ['add'] });
      const shown: Difference[] = [];
      const observer: RunObserver = {
        step: ignore,
        image: ignore,
        warn: ignore,
        note: ignore,
        ready: ignore,
        difference: (difference) => shown.push(difference),
      };
      const change = { flags: { tools }, args: undefined, unset: [] };
      const options = { observer, program: [], startTimeoutMs: 1000, trust: undefined, dryRun: true };
      const done = await changeWorkload('notes', change, context, options, new AbortController().signal);
      expect(done.changes).to.have.length(changes);
      expect(shown).to.deep.equal([]);
    });
  }
});
