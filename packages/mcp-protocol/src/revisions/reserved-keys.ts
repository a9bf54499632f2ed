const PREFIX = 'io.modelcontextprotocol/';

/** Keys of `_meta` that the proxy reads. */
export const META = {
  /** Revision of a request without a handshake. */
  claim: `${PREFIX}protocolVersion`,
  capabilities: `${PREFIX}clientCapabilities`,
  clientInfo: `${PREFIX}clientInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscription: `${PREFIX}subscriptionId`,
} as const;
