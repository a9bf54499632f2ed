import type { Plugin } from '@portolan/plugin-api';
import { onePasswordStore } from './onepassword-kind.ts';

export { onePasswordConfig, onePasswordStore } from './onepassword-kind.ts';

export default {
  name: '@portolan/secret-store-onepassword',
  apiVersion: 2,
  contributes: { secretStores: [onePasswordStore] },
} satisfies Plugin;
