import type { SecretStoreKind } from '@portolan/plugin-api';
import { encryptedConfig } from './encrypted-config.ts';

/** Secret store kind `encrypted`. Reads no file and asks for no password before a secret is needed. */
export const encryptedStore: SecretStoreKind<typeof encryptedConfig> = {
  kind: 'encrypted',
  config: encryptedConfig,
  can: ['set', 'delete', 'list'],
  async create(config, context) {
    const { EncryptedStore } = await import('./encrypted-store.ts');
    const { keyringOfSystem, NO_KEYRING } = await import('./keyring.ts');
    return new EncryptedStore({ ...context, keyring: config.keyring ? keyringOfSystem : NO_KEYRING });
  },
};
