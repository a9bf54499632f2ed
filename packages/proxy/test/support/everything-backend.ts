import type { Backend, ServerConnection } from '../../src/index.ts';
import { ChildConnection } from './child-connection.ts';
import { EVERYTHING } from './everything.ts';

/** The real server with every feature, by standard input and output. */
export function everythingBackend(
  settings: Partial<Extract<Backend, { carries: 'messages' }>> = {},
): Backend {
  return {
    carries: 'messages',
    mode: 'streamable-http',
    sessions: 'own',
    openConnection: async (): Promise<ServerConnection> =>
      new ChildConnection(process.execPath, [EVERYTHING, 'stdio']),
    ...settings,
  };
}
