import { renameSecrets } from '@portolan/run-spec';
import { findSecretUsers } from '../../secrets/find-secret-users.ts';
import { findOwnSecret } from '../../secrets/store-secrets.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { SettledRun } from './settled-run.ts';

/**
 * Renames secrets of a run whose names another workload already uses for different values, for example to
 * `registry-user-api_key@NAME`. Throws ERR_SECRETS_NOT_SET_UP and the errors of the store.
 */
export async function uniquifySecretNames(
  settled: SettledRun,
  context: Pick<WorkloadContext, 'environment' | 'user' | 'kinds' | 'store'>,
  signal: AbortSignal,
): Promise<SettledRun> {
  const { config, secrets } = settled;
  const apart = new Map<string, string>();
  for (const { name, value } of secrets) {
    const ownSecret = await findOwnSecret(name, 'workloads', context, signal);
    if (ownSecret === value) continue;
    const users = await findSecretUsers(name, context.store);
    if (users.some((user) => user !== config.name)) apart.set(name, `${name}@${config.name}`);
  }
  if (apart.size === 0) return settled;
  const renamed = (name: string): string => apart.get(name) ?? name;
  return {
    ...settled,
    config: renameSecrets(config, renamed),
    secrets: secrets.map(({ name, value }) => ({ name: renamed(name), value })),
  };
}
