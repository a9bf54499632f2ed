import type { ConfigBlock, ContainerSpec, TransportKind, TransportSetup } from '@portolan/plugin-api';
import { openStdioConnection } from './stdio-connection.ts';

const config = {
  type: 'object',
  title: 'Standard input and output',
  description: 'Messages over standard input and output, one a line. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/** The kind `stdio`: one JSON document a line, as the protocol's stdio transport has it. */
export const stdioTransport: TransportKind<typeof config> = {
  kind: 'stdio',
  config,
  carries: 'messages',
  create: () => ({ carries: 'messages', prepareContainer, openConnection: openStdioConnection }),
};

/** A process for one session gets the end of its input when its one client goes; a shared one keeps it open. */
function prepareContainer(spec: ContainerSpec, { serves }: TransportSetup): ContainerSpec {
  return {
    ...spec,
    stdin: serves === 'session' ? 'once' : 'open',
    environment: { MCP_TRANSPORT: 'stdio', ...spec.environment },
  };
}
