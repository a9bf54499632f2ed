import type { Plugin } from '@portolan/plugin-api';
import { fileSource } from './file-source.ts';

export { fileConfig } from './file-config.ts';
export type { FileConfig } from './file-config.ts';
export { fileSource } from './file-source.ts';

export default {
  name: '@portolan/source-file',
  apiVersion: 2,
  contributes: { sources: [fileSource] },
} satisfies Plugin;
