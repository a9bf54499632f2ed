import type { Transport } from '@portolan/plugin-api';

/** Whether a transport carries messages over standard streams, or HTTP requests to a port. */
export type Carries = Transport['carries'];

/** The transports that there are, shipped and of plugins, by their names. */
export type KnownTransports = ReadonlyMap<string, Carries>;

/** Transports whose proxy speaks to clients what the server speaks. */
const OWN_MODES: readonly string[] = ['sse', 'streamable-http'];

/** Whether a text could be the name of a transport kind; which ones there are, plugins say. */
export function isTransportName(text: string): boolean {
  return /^[a-z][A-Za-z0-9-]*$/.test(text);
}

/** What the proxy speaks to clients, where the transport itself or the document says it. */
export function proxyModeOf(transport: string, proxyMode: string): string {
  if (transport === '') return proxyMode;
  if (OWN_MODES.includes(transport)) return transport;
  return proxyMode === '' ? 'streamable-http' : proxyMode;
}
