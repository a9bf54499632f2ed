import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createRecordingLogger, createTestContext } from '@portolan/plugin-testing';
import { NO_USER_SETTINGS, type UserSettings } from '@portolan/run-spec';
import type { LookupContext } from '../../src/lookup/lookup-context.ts';
import { CatalogueCache } from '../../src/lookup/catalogue-cache.ts';

/** A context whose folders are all in one, with private addresses allowed. */
export function lookupContext(
  folder: string,
  user: Partial<UserSettings> = {},
  more: Partial<LookupContext> = {},
): LookupContext {
  const context = { clock: () => new Date(), logger: createRecordingLogger(), ...more };
  return {
    environment: {},
    user: { ...NO_USER_SETTINGS, allowPrivateRegistryAddress: true, ...user },
    openFetch: createTestContext().openFetch,
    version: '0.1.0',
    workingDirectory: path.resolve(folder),
    cache: new CatalogueCache({
      ...context,
      folder: path.join(folder, 'cache'),
      write: async (file, text) => {
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, text);
      },
    }),
    ...context,
  };
}
