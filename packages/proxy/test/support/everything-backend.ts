import type { ServerBackend, ServerConnection } from '@portolan/plugin-api';
import { ChildConnection } from './child-connection.ts';
import { EVERYTHING } from './everything.ts';

/** Returns a backend that runs the official everything server over standard input and output. */
export function everythingBackend(
  settings: Partial<Extract<ServerBackend, { carries: 'messages' }>> = {},
): ServerBackend {
  return {
    carries: 'messages',
    mode: 'streamable-http',
    sessions: 'own',
    openConnection: async (): Promise<ServerConnection> =>
      new ChildConnection(process.execPath, [EVERYTHING, 'stdio']),
    ...settings,
  };
}
