import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../../workload-context.ts';

/** Checks the session store. Throws ERR_KIND_UNKNOWN and ERR_SETTING. */
export async function requireSessionStore(
  { session_store: address }: Pick<RunConfig, 'session_store'>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<void> {
  if (address !== '') await kinds.checkSessionStore(new URL(address));
}
