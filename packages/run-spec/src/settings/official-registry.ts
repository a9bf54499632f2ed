/** The registry of the MCP project, to which anybody may publish. */
export const OFFICIAL_REGISTRY = 'https://registry.modelcontextprotocol.io';

/** Returns whether an address leads to the public default registry, however it is written. */
export function isPublicRegistry(address: string): boolean {
  const host = URL.parse(address)?.hostname.replace(/\.$/, '');
  return host === URL.parse(OFFICIAL_REGISTRY)?.hostname;
}
