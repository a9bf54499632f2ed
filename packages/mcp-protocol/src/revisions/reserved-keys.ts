const PREFIX = 'io.modelcontextprotocol/';

/** Keys of `_meta` that mean something to a proxy. */
export const META = {
  /** What makes a request one that describes itself: the claim. */
  claim: `${PREFIX}protocolVersion`,
  capabilities: `${PREFIX}clientCapabilities`,
  clientInfo: `${PREFIX}clientInfo`,
  logLevel: `${PREFIX}logLevel`,
  subscription: `${PREFIX}subscriptionId`,
} as const;
