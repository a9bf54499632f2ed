/** The registry of the MCP project, to which anyone may publish. */
export const OFFICIAL_REGISTRY = 'https://registry.modelcontextprotocol.io';

/** Returns whether an address leads to the public default registry, in any spelling. */
export function isPublicRegistry(address: string): boolean {
  const host = URL.parse(address)?.hostname.replace(/\.$/, '');
  return host === URL.parse(OFFICIAL_REGISTRY)?.hostname;
}
