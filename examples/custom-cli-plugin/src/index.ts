import type { Plugin } from '@portolan/plugin-api';
import { fileStore } from './file-store.ts';

export default {
  name: 'portolan-plugin-secret-files',
  apiVersion: 2,
  contributes: { secretStores: [fileStore] },
} satisfies Plugin;
