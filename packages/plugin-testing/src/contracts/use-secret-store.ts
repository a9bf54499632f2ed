import type { SecretStore, SecretStoreContext } from '@portolan/plugin-api';
import { inTime } from '../eventually.ts';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { MemorySecretFiles } from '../memory-secret-files.ts';
import { createTestContext } from '../test-context.ts';
import type { SecretStoreUnderTest } from './secret-store-under-test.ts';

export interface StoreSurroundings {
  readonly files: MemorySecretFiles;
  /** Another instance over the same files; closed at the end of the test. */
  readonly open: (change?: Partial<SecretStoreContext>) => Promise<SecretStore>;
}

const PASSWORD = 'correct horse battery staple';

/** Makes an instance, hands it to the action, closes it, and sees that nothing stays open. */
export async function useSecretStore(
  options: SecretStoreUnderTest,
  action: (store: SecretStore, around: StoreSurroundings) => Promise<void>,
): Promise<void> {
  const { withinMs = 40_000 } = options;
  await leavesNothingOpen(async () => {
    const files = new MemorySecretFiles();
    const opened: SecretStore[] = [];
    const open: StoreSurroundings['open'] = async (change) => {
      const context = { ...createTestContext(), environment: {}, files, askPassword: async () => PASSWORD };
      const store = await options.create({ ...context, ...change });
      opened.push(store);
      return store;
    };
    try {
      await inTime('the end of the test', action(await open(), { files, open }), { withinMs });
    } finally {
      for (const store of opened) await store.close?.();
    }
  }, options);
}
