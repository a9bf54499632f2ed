import type { Directories } from '../state/directories.ts';
import { updateUserConfig } from '../state/user-config/update-user-config.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { secretsProviderUnknown } from './secret-errors.ts';
import { testProvider } from './test-provider.ts';

/**
 * Tests a secret store and then records it as the user's choice. Throws ERR_SETTING with the known stores,
 * ERR_SECRETS_PROVIDER_TEST, and what the store throws. If it throws, the earlier choice stays.
 */
export async function chooseSecretsProvider(
  provider: string,
  {
    directories,
    kinds,
  }: Pick<WorkloadContext, 'kinds'> & { readonly directories: Pick<Directories, 'config' | 'groups'> },
  signal?: AbortSignal,
): Promise<void> {
  if (!kinds.secretStores.includes(provider)) {
    throw secretsProviderUnknown('TYPE', provider, kinds.secretStores);
  }
  await testProvider(await kinds.openSecretStore(provider), signal);
  await updateUserConfig(
    directories,
    [
      { path: ['secrets', 'provider_type'], value: provider },
      { path: ['secrets', 'setup_completed'], value: true },
    ],
    signal,
  );
}
