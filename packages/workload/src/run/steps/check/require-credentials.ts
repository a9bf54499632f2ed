import { namedCredentials, type RunConfig } from '@portolan/run-spec';
import { givenTo } from '../../../supervisor/policies/open-middleware.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/** Checks the outgoing credentials and returns warnings. Throws ERR_KIND_UNKNOWN and ERR_CONFIG_INVALID. */
export async function requireCredentials(
  config: Pick<RunConfig, 'remote_credentials' | 'name'>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[]> {
  const named = namedCredentials(config);
  if (named === undefined) return [];
  return await kinds.checkOutgoingCredentials(named.type, givenTo(named, config.name));
}
