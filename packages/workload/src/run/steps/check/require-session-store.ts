import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../../workload-context.ts';

/**
 * Checks the session store that a run config names. Without it, the workload must not run. Throws
 * ERR_KIND_UNKNOWN when no plugin provides a store for the address, and ERR_SETTING for an unusable address.
 */
export async function requireSessionStore(
  { session_store: address }: Pick<RunConfig, 'session_store'>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<void> {
  if (address !== '') await kinds.checkSessionStore(new URL(address));
}
