import type { Plugin } from '@portolan/plugin-api';
import { goScheme } from './go-kind.ts';

export { goScheme } from './go-kind.ts';

export default {
  name: '@portolan/scheme-go',
  apiVersion: 2,
  contributes: { schemes: [goScheme] },
} satisfies Plugin;
