import type { ConfigBlock, ContainerSpec, TransportKind, TransportSetup } from '@portolan/plugin-api';

const config = {
  type: 'object',
  title: 'Streamable HTTP',
  description: 'Streamable HTTP. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/** Transport kind `streamable-http`: requests to one path, with responses in JSON or an event stream. */
export const streamableHttpTransport: TransportKind<typeof config> = {
  kind: 'streamable-http',
  config,
  carries: 'http',
  create: () => ({ carries: 'http', prepareContainer, clientPath: '/mcp' }),
};

/** Sets variables that servers commonly read; existing values stay. */
function prepareContainer(spec: ContainerSpec, { port }: TransportSetup): ContainerSpec {
  const report =
    port === undefined ? {} : { MCP_PORT: String(port), FASTMCP_PORT: String(port), PORT: String(port) };
  // On 127.0.0.1, only the server's own container could connect to it.
  const environment = {
    MCP_TRANSPORT: 'streamable-http',
    MCP_HOST: '0.0.0.0',
    ...report,
    ...spec.environment,
  };
  return { ...spec, stdin: 'closed', environment };
}
