import type { Plugin } from '@portolan/plugin-api';
import { npxScheme } from './npx-kind.ts';

export { npxScheme } from './npx-kind.ts';

export default {
  name: '@portolan/scheme-npx',
  apiVersion: 2,
  contributes: { schemes: [npxScheme] },
} satisfies Plugin;
