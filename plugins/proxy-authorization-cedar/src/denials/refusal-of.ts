import type { ClientExchange, ClientVerdict } from '@portolan/plugin-api';
import { isKnownMethod } from '../request/target.ts';

/**
 * Returns an id and no reason.
 * In revisions without handshake, an unknown method must get status 404 and code -32601. Earlier revisions
 * specify no status.
 */
export function refusalOf(method: string, { era }: ClientExchange, denialId: string): ClientVerdict {
  const data = { denialId };
  return era === 'modern' && (REMOVED.includes(method) || !isKnownMethod(method))
    ? { refuse: { message: 'Method not found', status: 404, code: -32_601, data } }
    : { refuse: { message: 'Unauthorized', status: 403, code: 403, data } };
}

/** Methods that revisions without a handshake removed. */
const REMOVED: readonly string[] = [
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/list',
  'tasks/result',
];
