import { MESSAGE_TYPES } from '../message/media-types.ts';
import { NEWEST_MODERN, NEWEST_LEGACY } from './revisions.ts';
import type { JsonRecord, RequestMessage } from '../message/message.ts';
import { META } from './reserved-keys.ts';

/** Method that returns the supported revisions of a server without a handshake. */
export const DISCOVER = 'server/discover';

/**
 * Returns the `initialize` parameters of the proxy itself, without capabilities, so that the server sends no
 * requests.
 */
export function ownGreeting(version: string, revision = NEWEST_LEGACY): JsonRecord {
  return {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: 'portolan', version },
  };
}

export function ownParams(version: string, params: JsonRecord = {}, revision = NEWEST_MODERN): JsonRecord {
  const envelope = {
    [META.claim]: revision,
    [META.clientInfo]: { name: 'portolan', version },
    [META.capabilities]: {},
  };
  return { ...params, _meta: envelope };
}

/** Returns a request of the proxy itself. The sender replaces its id. */
export function ownRequest(method: string, params: JsonRecord): RequestMessage {
  const text = `{"jsonrpc":"2.0","id":0,"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
  return { kind: 'request', text, id: { text: '0', key: 'n0' }, method, params };
}

export const PING: RequestMessage = ownRequest('ping', {});

export interface Probing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Returns the requests that show whether a server requires a token: one without a handshake, then
 * `initialize`.
 */
export function listProbings(transport: string, version: string): readonly Probing[] {
  const message = (method: string, params: object, headers: Readonly<Record<string, string>>): Probing => ({
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: MESSAGE_TYPES,
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  const stream: Probing = { method: 'GET', headers: { Accept: 'text/event-stream' } };
  return [
    ...(transport === 'sse' ? [stream] : []),
    message('server/discover', ownParams(version), {
      'MCP-Protocol-Version': NEWEST_MODERN,
      'Mcp-Method': 'server/discover',
    }),
    message('initialize', ownGreeting(version), {}),
  ];
}
