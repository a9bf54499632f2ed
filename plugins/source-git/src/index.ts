import type { Plugin } from '@portolan/plugin-api';
import { gitSource } from './git-source.ts';

export { gitConfig } from './git-config.ts';
export type { GitConfig } from './git-config.ts';
export { gitSource } from './git-source.ts';

export default {
  name: '@portolan/source-git',
  apiVersion: 2,
  contributes: { sources: [gitSource] },
} satisfies Plugin;
