import type { Plugin } from '@portolan/plugin-api';
import { apiSource } from './api-source.ts';

export { apiConfig } from './api-config.ts';
export type { ApiConfig } from './api-config.ts';
export { apiSource } from './api-source.ts';

export default {
  name: '@portolan/source-api',
  apiVersion: 2,
  contributes: { sources: [apiSource] },
} satisfies Plugin;
