import { randomUUID } from 'node:crypto';
import type { SessionStore, SessionStoreContext } from '@portolan/plugin-api';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import type { SessionStoreUnderTest } from './session-store-under-test.ts';

/** Another instance over the same store; closed at the end of the test. */
export type OpenAnother = (change?: Partial<SessionStoreContext>) => Promise<SessionStore>;

/** Makes instances that share what they keep, closes them after the action, and sees that nothing stays open. */
export async function useSessionStore(
  options: SessionStoreUnderTest,
  action: (store: SessionStore, another: OpenAnother) => Promise<void>,
): Promise<void> {
  const { withinMs = 40_000 } = options;
  await leavesNothingOpen(async () => {
    const opened: SessionStore[] = [];
    const surroundings = {
      address: options.address(),
      password: undefined,
      namespace: randomUUID(),
      ttlMs: 60_000,
    };
    const open: OpenAnother = async (change) => {
      const store = await options.create({ ...createTestContext(), ...surroundings, ...change });
      opened.push(store);
      return store;
    };
    try {
      await inTime('the end of the test', action(await open(), open), { withinMs });
    } finally {
      for (const store of opened) await store.close();
    }
  }, options);
}
