import { MESSAGE_TYPES } from '@portolan/mcp-protocol';
import type { IncomingHttpHeaders } from 'node:http';
import { HOP_BY_HOP } from '@portolan/outbound';
import type { ForwardedHeader } from '@portolan/plugin-api';

/**
 * Headers that are not forwarded: hop-by-hop headers, those of the new connection, and `expect`, because the
 * body has already been read.
 */
const NOT_SENT: ReadonlySet<string> = new Set([...HOP_BY_HOP, 'expect', 'host', 'content-length']);
const CREDENTIALS: ReadonlySet<string> = new Set(['authorization', 'cookie']);
const NOT_ANSWERED: ReadonlySet<string> = new Set(HOP_BY_HOP);

export interface UpstreamHeaderOptions {
  readonly isRemote: boolean;
  readonly targetScheme: string;
  readonly trustProxyHeaders: boolean;
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly clientAddress: string;
  /** Whether the proxy reads the response, which must then not be compressed. */
  readonly readsAnswer: boolean;
  /** Whether to drop the client's credentials, because they are for the proxy. */
  readonly dropsCredentials: boolean;
  readonly dropsSession: boolean;
  readonly isMessage: boolean;
}

export function upstreamHeaders(from: IncomingHttpHeaders, options: UpstreamHeaderOptions): string[] {
  const { isRemote, trustProxyHeaders, targetScheme, clientAddress, forwardHeaders } = options;
  const named = namesIn(from.connection);
  const set = new Map<string, string>();
  const trusted = (name: string): string | undefined => {
    const value = trustProxyHeaders && !named.includes(name) ? from[name] : undefined;
    return value === undefined ? undefined : String(value);
  };
  const before = trusted('x-forwarded-for');
  set.set('x-forwarded-for', before === undefined ? clientAddress : `${before}, ${clientAddress}`);
  if (isRemote) set.set('x-forwarded-proto', targetScheme);
  else {
    set.set('x-forwarded-host', trusted('x-forwarded-host') ?? from.host ?? '');
    set.set('x-forwarded-proto', trusted('x-forwarded-proto') ?? 'http');
  }
  if (options.readsAnswer) set.set('accept-encoding', 'identity');
  // The official SDKs require both names and respond with 406 to a wildcard.
  if (options.isMessage && from.accept?.trim() === '*/*') set.set('accept', MESSAGE_TYPES);
  for (const { name, value } of forwardHeaders) set.set(name.toLowerCase(), value);
  const headers: string[] = [];
  for (const name in from) {
    const isDropped =
      NOT_SENT.has(name) ||
      set.has(name) ||
      named.includes(name) ||
      (options.dropsCredentials && CREDENTIALS.has(name)) ||
      (isForwarding(name) && (!trustProxyHeaders || (isRemote && name === 'x-forwarded-host'))) ||
      (options.dropsSession && name === 'mcp-session-id');
    const value = isDropped ? undefined : from[name];
    if (typeof value === 'string') headers.push(name, value);
    else for (const one of value ?? []) headers.push(name, one);
  }
  for (const [name, value] of set) headers.push(name, value);
  return headers;
}

/** Some servers send these twice; clients that join both values read a wrong one. */
const SINGLE: ReadonlySet<string> = new Set(['mcp-session-id', 'mcp-protocol-version', 'content-type']);

/** Without hop-by-hop fields and `dropped`; equal values of a field with one value pass once. */
export function passedOn(rawHeaders: readonly string[], dropped: readonly string[]): string[] {
  const passed: string[] = [];
  let named = dropped;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const value = rawHeaders[at + 1] ?? '';
    const lower = name.toLowerCase();
    if (lower === 'connection') named = [...named, ...namesIn(value)];
    if (SINGLE.has(lower) && headerIn(passed, lower) === value) continue;
    if (!NOT_ANSWERED.has(lower)) passed.push(name, value);
  }
  if (named.length === 0) return passed;
  return passed.filter((_field, at) => !named.includes(String(passed[at - (at % 2)]).toLowerCase()));
}

/** Returns the first value of a header; `name` is in lower case. */
export function headerIn(rawHeaders: readonly string[], name: string): string | undefined {
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const field = rawHeaders[at] ?? '';
    if (field.length === name.length && field.toLowerCase() === name) return rawHeaders[at + 1];
  }
  return undefined;
}

function namesIn(connection: string | undefined): readonly string[] {
  if (connection === undefined || /^(?:keep-alive|close)$/i.test(connection)) return [];
  return connection.split(',').map((name) => name.trim().toLowerCase());
}

function isForwarding(name: string): boolean {
  return name === 'forwarded' || name === 'x-real-ip' || name.startsWith('x-forwarded-');
}
