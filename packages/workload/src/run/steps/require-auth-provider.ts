import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { authProviderOf, authTokenFileOf, type RunConfig } from '@portolan/run-spec';
import { fileUnreadable } from '../../state/state-errors.ts';
import { authGivenTo } from '../../supervisor/open-auth-provider.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/**
 * Whoever has to prove who calls is asked for it, or nothing runs. Nobody outside
 * is asked here: an issuer may be down when a workload starts. Throws
 * ERR_RUN_FILE_UNREADABLE and ERR_CONFIG_INVALID.
 */
export async function requireAuthProvider(
  config: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<void> {
  const named = authProviderOf(config);
  if (named === undefined) return;
  const file = named.type === 'oauth' ? authTokenFileOf(config) : '';
  if (file !== '') {
    await access(file, constants.R_OK).catch((error: unknown) => {
      throw fileUnreadable('token file', file, error);
    });
  }
  await kinds.checkAuthProvider(named.type, authGivenTo(named, config.name));
}
