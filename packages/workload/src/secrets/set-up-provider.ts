import type { Directories } from '../state/directories.ts';
import { updateUserConfig } from '../state/user-config/update-user-config.ts';
import type { WorkloadContext, OpenSecretStore } from '../workload-context.ts';
import { secretsProviderUnknown, secretStoreUnfaithful } from './secret-errors.ts';
import { randomBytes } from 'node:crypto';
import { scopedName } from './secret-name.ts';

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

/**
 * Tests a secret store by storing, reading and deleting a test secret. If the store is read-only, only lists
 * its secrets. Leaves no test secret behind. Throws ERR_SECRETS_PROVIDER_TEST and what the store throws.
 */
async function testProvider({ name, can, store }: OpenSecretStore, signal?: AbortSignal): Promise<void> {
  if (can.includes('set') && can.includes('delete')) {
    const probe = scopedName('auth', `probe_${randomBytes(6).toString('hex')}`);
    const value = randomBytes(12).toString('hex');
    await store.set?.(probe, value, signal);
    const match = await store.find(probe, signal);
    await store.delete?.(probe, signal);
    if (match !== value) throw secretStoreUnfaithful(name);
  } else if (can.includes('list')) {
    await store.list?.(signal);
  }
}
