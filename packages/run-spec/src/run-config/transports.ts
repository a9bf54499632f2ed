import type { Transport } from '@portolan/plugin-api';

/** Whether a transport exchanges messages over standard streams, or HTTP requests with a port. */
export type Carries = Transport['carries'];

/** Available transports, built-in and from plugins, by name. */
export type KnownTransports = ReadonlyMap<string, Carries>;

/** Transports that the proxy also uses toward clients. */
const OWN_MODES: readonly string[] = ['sse', 'streamable-http'];

/** Returns whether a text has the form of a transport kind's name; plugins define which exist. */
export function isTransportName(text: string): boolean {
  return /^[a-z][A-Za-z0-9-]*$/.test(text);
}

/** Returns the proxy's transport toward clients, as the transport or the document determines it. */
export function proxyModeOf(transport: string, proxyMode: string): string {
  if (transport === '') return proxyMode;
  if (OWN_MODES.includes(transport)) return transport;
  return proxyMode === '' ? 'streamable-http' : proxyMode;
}
