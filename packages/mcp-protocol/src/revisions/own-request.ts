import type { JsonRecord, RequestMessage } from '../message/message.ts';
import { META } from './reserved-keys.ts';
import { NEWEST_LEGACY, NEWEST_MODERN } from './revisions.ts';

/** The request by which a server without a handshake says what it speaks. */
export const DISCOVER = 'server/discover';

/** What the proxy says of itself when it greets a server: no capabilities, so that nothing is asked of it. */
export function ownGreeting(version: string, revision = NEWEST_LEGACY): JsonRecord {
  return {
    protocolVersion: revision,
    capabilities: {},
    clientInfo: { name: 'portolan', version },
  };
}

/** Params of a request in the proxy's own name to a server without a handshake. */
export function ownParams(version: string, params: JsonRecord = {}, revision = NEWEST_MODERN): JsonRecord {
  const envelope = {
    [META.claim]: revision,
    [META.clientInfo]: { name: 'portolan', version },
    [META.capabilities]: {},
  };
  return { ...params, _meta: envelope };
}

/** A request of the proxy itself; its id is put in by whoever sends it. */
export function ownRequest(method: string, params: JsonRecord): RequestMessage {
  const text = `{"jsonrpc":"2.0","id":0,"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}}`;
  return { kind: 'request', text, id: { text: '0', key: 'n0' }, method, params };
}

/** Whether a server with a handshake is there. */
export const PING: RequestMessage = ownRequest('ping', {});
