import type { Transport } from '@portolan/plugin-api';

/** Messages over standard streams, or HTTP requests with a port. */
export type Carries = Transport['carries'];

export type KnownTransports = ReadonlyMap<string, Carries>;

/** The proxy also uses these toward clients. */
const OWN_MODES: readonly string[] = ['sse', 'streamable-http'];

/** Plugins define which transports exist. */
export function isTransportName(text: string): boolean {
  return /^[a-z][A-Za-z0-9-]*$/.test(text);
}

export function proxyModeOf(transport: string, proxyMode: string): string {
  if (transport === '') return proxyMode;
  if (OWN_MODES.includes(transport)) return transport;
  return proxyMode === '' ? 'streamable-http' : proxyMode;
}
