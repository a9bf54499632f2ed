import type { IncomingHttpHeaders } from 'node:http';
import { HOP_BY_HOP } from '@portolan/outbound';
import type { ForwardedHeader } from '@portolan/plugin-api';

/** Of requests alone: the body was read here already, so nobody waits for leave to send it. */
const ANSWERED_HERE = 'expect';

export interface UpstreamHeaderOptions {
  readonly isRemote: boolean;
  readonly targetScheme: string;
  readonly trustProxyHeaders: boolean;
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly clientAddress: string;
  /** Whether the answer has to be read here, so that it may not be compressed. */
  readonly readsAnswer: boolean;
  /** Whether the request belongs to no session, whatever its header says. */
  readonly dropsSession: boolean;
  /** Undefined when the request had none. */
  readonly bodyBytes: number | undefined;
}

/** Makes the headers of a client's request those of the request to the server behind. Changes them in place. */
export function prepareHeaders(headers: IncomingHttpHeaders, options: UpstreamHeaderOptions): void {
  const { isRemote, trustProxyHeaders, targetScheme, clientAddress, bodyBytes } = options;
  for (const name of [...namedByConnection(headers), ...HOP_BY_HOP, ANSWERED_HERE]) delete headers[name];
  if (!trustProxyHeaders) {
    for (const name of Object.keys(headers)) if (isForwarding(name)) delete headers[name];
  }
  const before = headers['x-forwarded-for'];
  headers['x-forwarded-for'] = before === undefined ? clientAddress : `${String(before)}, ${clientAddress}`;
  if (isRemote) {
    delete headers['x-forwarded-host'];
    headers['x-forwarded-proto'] = targetScheme;
  } else {
    headers['x-forwarded-host'] ??= headers.host ?? '';
    headers['x-forwarded-proto'] ??= 'http';
  }
  if (options.readsAnswer) headers['accept-encoding'] = 'identity';
  if (options.dropsSession) delete headers['mcp-session-id'];
  if (bodyBytes !== undefined) headers['content-length'] = String(bodyBytes);
  for (const { name, value } of options.forwardHeaders) headers[name.toLowerCase()] = value;
}

/** Header fields of an answer, name and value in turn, without those of the connection. */
export function passedOn(rawHeaders: readonly string[], connection: string | undefined): string[] {
  const dropped = new Set([...namesIn(connection), ...HOP_BY_HOP]);
  return rawHeaders.filter((_field, at) => !dropped.has(String(rawHeaders[at - (at % 2)]).toLowerCase()));
}

function namedByConnection(headers: IncomingHttpHeaders): readonly string[] {
  return namesIn(headers.connection);
}

function namesIn(connection: string | undefined): readonly string[] {
  return (connection ?? '').split(',').map((name) => name.trim().toLowerCase());
}

function isForwarding(name: string): boolean {
  return name === 'forwarded' || name === 'x-real-ip' || name.startsWith('x-forwarded-');
}
