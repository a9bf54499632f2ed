const PREFIX = 'io.modelcontextprotocol/';

export const META = {
  claim: `${PREFIX}protocolVersion`,
  capabilities: `${PREFIX}clientCapabilities`,
  clientInfo: `${PREFIX}clientInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscription: `${PREFIX}subscriptionId`,
  serverInfo: `${PREFIX}serverInfo`,
} as const;
