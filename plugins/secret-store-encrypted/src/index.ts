import type { Plugin } from '@portolan/plugin-api';
import { encryptedStore } from './encrypted-kind.ts';

export { encryptedConfig } from './encrypted-config.ts';
export type { EncryptedConfig } from './encrypted-config.ts';
export { encryptedStore } from './encrypted-kind.ts';

export default {
  name: '@portolan/secret-store-encrypted',
  apiVersion: 2,
  contributes: { secretStores: [encryptedStore] },
} satisfies Plugin;
