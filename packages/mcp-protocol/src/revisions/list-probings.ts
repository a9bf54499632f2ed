import { ownGreeting, ownParams } from './own-request.ts';
import { MESSAGE_TYPES } from '../message/media-types.ts';
import { NEWEST_MODERN } from './revisions.ts';

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
