import { isVirtualServer, middlewareOf, type RunConfig } from '@portolan/run-spec';
import type { Directories } from '../../state/directories.ts';
import { readEntryDefinitions } from '../../state/entry-definitions.ts';
import { hasLockFile } from '../../state/lock-place.ts';

/**
 * Returns whether the proxy compares the messages of a workload with what was approved or published. A comparison
 * parses every message, which slows each call down. So a workload needs a lock, a setting about locks, or published
 * definitions. Workloads with policies and virtual servers are always compared: they parse every message anyway.
 */
export async function mayDrift(
  config: RunConfig,
  directories: Pick<Directories, 'policies'>,
): Promise<boolean> {
  const isConfigured = config.drift !== '' || config.frozen || config.lock_file !== '';
  if (isConfigured || isVirtualServer(config) || middlewareOf(config).length > 0) return true;
  return (
    (await hasLockFile(config, directories)) ||
    (await readEntryDefinitions(config.name, directories)) !== undefined
  );
}
