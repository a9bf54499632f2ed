import { randomBytes } from 'node:crypto';
import type { OpenSecretStore } from '../workload-context.ts';
import { secretStoreUnfaithful } from './secret-errors.ts';
import { scopedName } from './secret-name.ts';

/**
 * Tests a secret store by storing, reading and deleting a test secret. If the store is read-only, only lists
 * its secrets. Leaves no test secret behind. Throws ERR_SECRETS_PROVIDER_TEST and what the store throws.
 */
export async function testProvider(
  { name, can, store }: OpenSecretStore,
  signal?: AbortSignal,
): Promise<void> {
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
