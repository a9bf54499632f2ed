import type { ClientExchange, ClientVerdict } from '@portolan/plugin-api';
import { isKnownMethod } from '../request/target.ts';

/**
 * What whoever is denied is told: an id, and nothing else. A method that no
 * policy can know is answered as a server of the revisions without handshake has
 * to answer it (404 and -32601); before them no status is said for that.
 */
export function refusalOf(method: string, { era }: ClientExchange, denialId: string): ClientVerdict {
  const data = { denialId };
  return era === 'modern' && (REMOVED.includes(method) || !isKnownMethod(method))
    ? { refuse: { message: 'Method not found', status: 404, code: -32_601, data } }
    : { refuse: { message: 'Unauthorized', status: 403, code: 403, data } };
}

/** Methods that the revisions without handshake do not have any more. */
const REMOVED: readonly string[] = [
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/list',
  'tasks/result',
];
