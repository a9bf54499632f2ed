import type { OpenPages, PagesKind } from '@portolan/plugin-api';
import { webConsoleConfig } from './web-console-config.ts';

/** Pages kind `web-console`. Loads its implementation when it is opened. */
export const webConsole: PagesKind<typeof webConsoleConfig> = {
  kind: 'web-console',
  config: webConsoleConfig,
  create: (config, context) => ({
    open: async (hostContext): Promise<OpenPages> => {
      const { openConsole } = await import('./open-console.ts');
      return await openConsole({ config, context, hostContext });
    },
  }),
};
