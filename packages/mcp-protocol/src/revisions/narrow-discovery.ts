import { isJsonObject, memberOf, type ResponseMessage } from '../message/message.ts';
import { rewriteMessage } from '../message/rewrite-message.ts';
import { isModern, MODERN_REVISIONS } from './revisions.ts';

/**
 * Returns the protocol revisions without a handshake that both server and proxy support. If there are none,
 * returns all that the proxy supports.
 */
export function servedRevisions(listed: readonly string[]): readonly string[] {
  const both = MODERN_REVISIONS.filter((revision) => listed.includes(revision));
  return both.length === 0 ? MODERN_REVISIONS : both;
}

/**
 * Removes revisions without a handshake (2026-07-28 and later) that the proxy does not support from a
 * `server/discover` result, unless the list would be empty.
 */
export function narrowDiscovery(response: ResponseMessage): ResponseMessage {
  const listed = isJsonObject(response.result) ? memberOf(response.result, 'supportedVersions') : undefined;
  if (!Array.isArray(listed)) return response;
  const left = listed.filter((item) => !isUnknown(item));
  if (left.length === listed.length || left.length === 0) return response;
  const by = JSON.stringify(left);
  return {
    ...response,
    text: rewriteMessage(response.text, [{ path: ['result', 'supportedVersions'], by }]),
  };
}

function isUnknown(item: unknown): boolean {
  return (
    typeof item === 'string' && isModern(item) && !MODERN_REVISIONS.some((revision) => revision === item)
  );
}
