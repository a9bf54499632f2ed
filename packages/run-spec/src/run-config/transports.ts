import type { Transport } from '@portolan/plugin-api';

/** How a transport carries messages: over standard streams, or as HTTP requests to a port. */
export type Carries = Transport['carries'];

export type KnownTransports = ReadonlyMap<string, Carries>;

/** Transports that the proxy also offers to clients. */
const OWN_MODES: readonly string[] = ['sse', 'streamable-http'];

/** Checks only the syntax of a transport's name, because plugins define which transports exist. */
export function isTransportName(text: string): boolean {
  return /^[a-z][A-Za-z0-9-]*$/.test(text);
}

export function proxyModeOf(transport: string, proxyMode: string): string {
  if (transport === '') return proxyMode;
  if (OWN_MODES.includes(transport)) return transport;
  return proxyMode === '' ? 'streamable-http' : proxyMode;
}
