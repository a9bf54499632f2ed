import type { JsonRecord, RequestMessage } from '../message/message.ts';
import { META } from './reserved-keys.ts';
import { NEWEST_LEGACY, NEWEST_MODERN } from './revisions.ts';

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
