import type { Plugin } from '@portolan/plugin-api';
import { webConsole } from './web-console.ts';

export { webConsole } from './web-console.ts';
export { webConsoleConfig } from './web-console-config.ts';
export type { WebConsoleConfig } from './web-console-config.ts';

export default {
  name: '@portolan/web-console',
  apiVersion: 2,
  contributes: { pages: [webConsole] },
} satisfies Plugin;
