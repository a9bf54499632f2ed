const PREFIX = 'io.modelcontextprotocol/';

export const META = {
  /** Revision of a request without a handshake. */
  claim: `${PREFIX}protocolVersion`,
  capabilities: `${PREFIX}clientCapabilities`,
  clientInfo: `${PREFIX}clientInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscription: `${PREFIX}subscriptionId`,
} as const;
