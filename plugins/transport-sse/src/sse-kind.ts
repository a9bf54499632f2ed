import type { ConfigBlock, ContainerSpec, TransportKind, TransportSetup } from '@portolan/plugin-api';

const config = {
  type: 'object',
  title: 'HTTP with server-sent events',
  description: 'HTTP with server-sent events, as of revision 2024-11-05 of the protocol. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Transport kind `sse`: an event stream for responses, and requests to the address that the stream names.
 * Deprecated by the protocol since 2025-03-26.
 */
export const sseTransport: TransportKind<typeof config> = {
  kind: 'sse',
  config,
  carries: 'http',
  create: () => ({ carries: 'http', prepareContainer, clientPath: '/sse' }),
};

/** Sets variables that servers commonly read; existing values stay. */
function prepareContainer(spec: ContainerSpec, { port }: TransportSetup): ContainerSpec {
  const report =
    port === undefined ? {} : { MCP_PORT: String(port), FASTMCP_PORT: String(port), PORT: String(port) };
  // On 127.0.0.1, only the server's own container could connect to it.
  const environment = { MCP_TRANSPORT: 'sse', MCP_HOST: '0.0.0.0', ...report, ...spec.environment };
  return { ...spec, stdin: 'closed', environment };
}
