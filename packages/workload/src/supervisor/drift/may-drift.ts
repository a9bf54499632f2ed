import { isVirtualServer, middlewareOf, type RunConfig } from '@portolan/run-spec';
import type { Directories } from '../../state/directories.ts';
import { readEntryDefinitions } from '../../state/entry-definitions.ts';
import { hasLockFile } from '../../state/lock-place.ts';

/**
 * Returns whether the messages of a workload are compared with approved or published definitions. Without these, only
 * if policies read all messages anyway: a comparison parses every message, which would cost each call of a workload
 * that no one has approved. Members of a virtual server come and go, so that its first lists are no baseline.
 */
export async function mayDrift(
  config: RunConfig,
  directories: Pick<Directories, 'policies'>,
): Promise<boolean> {
  if (config.drift !== '' || config.frozen || config.lock_file !== '') return true;
  if (!isVirtualServer(config) && middlewareOf(config).length > 0) return true;
  return (
    (await hasLockFile(config, directories)) ||
    (await readEntryDefinitions(config.name, directories)) !== undefined
  );
}
