import { randomBytes } from 'node:crypto';
import type { OpenSecretStore } from '../workload-context.ts';
import { secretStoreUnfaithful } from './secret-errors.ts';
import { scopedName } from './secret-name.ts';

/**
 * Proves that a store works: what can write gives a probe back and deletes it,
 * what can only list lists. Throws ERR_SECRETS_PROVIDER_TEST and what the store
 * throws; nothing of the probe is left.
 */
export async function testProvider(
  { name, can, store }: OpenSecretStore,
  signal?: AbortSignal,
): Promise<void> {
  if (can.includes('set') && can.includes('delete')) {
    const probe = scopedName('auth', `probe_${randomBytes(6).toString('hex')}`);
    const value = randomBytes(12).toString('hex');
    await store.set?.(probe, value, signal);
    const found = await store.find(probe, signal);
    await store.delete?.(probe, signal);
    if (found !== value) throw secretStoreUnfaithful(name);
  } else if (can.includes('list')) {
    await store.list?.(signal);
  }
}
