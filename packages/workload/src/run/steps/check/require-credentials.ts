import { namedCredentials, type RunConfig } from '@portolan/run-spec';
import { givenTo } from '../../../supervisor/policies/open-middleware.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/**
 * A remote is asked with what the run config names, or not at all. Gives what the
 * kind tells of its settings and does not refuse. Throws ERR_KIND_UNKNOWN where no
 * plugin has brought it, and ERR_CONFIG_INVALID for settings that it cannot be made of.
 */
export async function requireCredentials(
  config: Pick<RunConfig, 'remote_credentials' | 'name'>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[]> {
  const named = namedCredentials(config);
  if (named === undefined) return [];
  return await kinds.checkOutgoingCredentials(named.type, givenTo(named, config.name));
}
