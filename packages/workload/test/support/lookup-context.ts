import path from 'node:path';
import { createRecordingLogger, createTestContext } from '@portolan/plugin-testing';
import { NO_USER_SETTINGS, type UserSettings } from '@portolan/run-spec';
import type { LookupContext } from '../../src/registry-lookup/lookup-context.ts';
import { directoriesOf } from '../../src/state/directories.ts';

/** A context whose folders are all in one, with private addresses allowed. */
export function lookupContext(
  folder: string,
  user: Partial<UserSettings> = {},
  more: Partial<LookupContext> = {},
): LookupContext {
  return {
    directories: directoriesOf({
      platform: 'linux',
      environment: {},
      home: folder,
      temporary: folder,
      userId: 1000,
    }),
    environment: {},
    user: { ...NO_USER_SETTINGS, allowPrivateRegistryAddress: true, ...user },
    clock: () => new Date(),
    logger: createRecordingLogger(),
    openFetch: createTestContext().openFetch,
    version: '0.1.0',
    workingDirectory: path.resolve(folder),
    ...more,
  };
}
