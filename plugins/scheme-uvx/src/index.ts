import type { Plugin } from '@portolan/plugin-api';
import { uvxScheme } from './uvx-kind.ts';

export { uvxScheme } from './uvx-kind.ts';

export default {
  name: '@portolan/scheme-uvx',
  apiVersion: 2,
  contributes: { schemes: [uvxScheme] },
} satisfies Plugin;
