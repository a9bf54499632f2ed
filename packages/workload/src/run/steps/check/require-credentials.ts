import { namedCredentials, type RunConfig } from '@portolan/run-spec';
import { givenTo } from '../../../supervisor/policies/open-middleware.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/**
 * Checks the outgoing credentials of a run config and returns warnings about their settings. Without them,
 * the workload must not run. Throws ERR_KIND_UNKNOWN when no plugin provides the kind, and ERR_CONFIG_INVALID
 * for invalid settings.
 */
export async function requireCredentials(
  config: Pick<RunConfig, 'remote_credentials' | 'name'>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[]> {
  const named = namedCredentials(config);
  if (named === undefined) return [];
  return await kinds.checkOutgoingCredentials(named.type, givenTo(named, config.name));
}
