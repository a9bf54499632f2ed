import { MESSAGE_TYPES } from '@portolan/mcp-protocol';
import type { ForwardedHeader } from '@portolan/plugin-api';
import type { RequestHeaders } from './http-connection-options.ts';

/** Headers that only the connection itself sets. */
const OWN: ReadonlySet<string> = new Set([
  'accept',
  'content-type',
  'content-length',
  'host',
  'last-event-id',
  'mcp-session-id',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
  // Hop-by-hop headers (RFC 9110, section 7.6.1), and what replaces them.
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
]);

/** Headers that a client may not pass on, because they are for the proxy or name the proxy's clients. */
const NOT_PASSED: ReadonlySet<string> = new Set([
  'authorization',
  'cookie',
  'proxy-authorization',
  'proxy-authenticate',
  'forwarded',
  'x-real-ip',
]);

/** Returns whether a header of a client may reach another server. `name` is in lower case. */
export function isPassable(name: string): boolean {
  return !isOwn(name) && !NOT_PASSED.has(name) && !name.startsWith('x-forwarded-');
}

function isOwn(name: string): boolean {
  return OWN.has(name) || name.startsWith('mcp-param-');
}

/** Returns the headers of every request, with names in lower case. */
export function baseHeaders(configured: readonly ForwardedHeader[]): Readonly<Record<string, string>> {
  const base: Record<string, string> = {};
  for (const { name, value } of configured) {
    const lower = name.toLowerCase();
    if (!isOwn(lower)) base[lower] = value;
  }
  // The connection reads responses, so they must not be compressed.
  return { ...base, 'accept-encoding': 'identity' };
}

export interface HeaderSources extends RequestHeaders {
  readonly base: Readonly<Record<string, string>>;
  /** Headers of the protocol. They win. */
  readonly protocol: Readonly<Record<string, string>>;
  readonly method: string;
  readonly hasBody: boolean;
}

/** Merges the headers of a request. Names of the result are in lower case. */
export function mergeHeaders(sources: HeaderSources): Readonly<Record<string, string>> {
  const { base, passed, credentials, protocol, method, hasBody } = sources;
  const merged: Record<string, string> = { ...base };
  for (const { name, value } of passed) {
    const lower = name.toLowerCase();
    if (isPassable(lower) && !Object.hasOwn(base, lower)) merged[lower] = value;
  }
  for (const { name, value } of credentials) {
    const lower = name.toLowerCase();
    if (!isOwn(lower)) merged[lower] = value;
  }
  merged['accept'] = method === 'GET' ? 'text/event-stream' : MESSAGE_TYPES;
  if (hasBody) merged['content-type'] = 'application/json';
  for (const name in protocol) merged[name.toLowerCase()] = protocol[name] ?? '';
  return merged;
}
