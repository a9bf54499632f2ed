import type { ConfigBlock, ContainerSpec, TransportKind, TransportSetup } from '@portolan/plugin-api';
import { openStdioConnection } from './stdio-connection.ts';

const config = {
  type: 'object',
  title: 'Standard input and output',
  description: 'Messages over standard input and output, one per line. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/** Transport kind `stdio`: one JSON document per line, as in the protocol's stdio transport. */
export const stdioTransport: TransportKind<typeof config> = {
  kind: 'stdio',
  config,
  carries: 'messages',
  create: () => ({ carries: 'messages', prepareContainer, openConnection: openStdioConnection }),
};

/**
 * Prepares standard input: that of a process for one session closes when its client disconnects, that of a
 * shared process stays open.
 */
function prepareContainer(spec: ContainerSpec, { serves }: TransportSetup): ContainerSpec {
  return {
    ...spec,
    stdin: serves === 'session' ? 'once' : 'open',
    environment: { MCP_TRANSPORT: 'stdio', ...spec.environment },
  };
}
