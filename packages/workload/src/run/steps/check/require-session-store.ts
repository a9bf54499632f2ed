import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../../workload-context.ts';

/**
 * Sessions are kept where the operator said, or the workload is not run. Throws
 * ERR_KIND_UNKNOWN where no plugin has brought a store for the address, and
 * ERR_SETTING where that cannot use it.
 */
export async function requireSessionStore(
  { session_store: address }: Pick<RunConfig, 'session_store'>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<void> {
  if (address !== '') await kinds.checkSessionStore(new URL(address));
}
