import { isJsonObject, memberOf, type ResponseMessage } from '../message/message.ts';
import { rewriteMessage } from '../message/rewrite-message.ts';
import { isModern, MODERN_REVISIONS } from './revisions.ts';

/** Returns the common Modern revisions, or all of the proxy's when there is none. */
export function servedRevisions(listed: readonly string[]): readonly string[] {
  const both = MODERN_REVISIONS.filter((revision) => listed.includes(revision));
  return both.length === 0 ? MODERN_REVISIONS : both;
}

/** Removes Modern revisions that the proxy does not support, unless nothing would be left. */
export function narrowDiscovery(answer: ResponseMessage): ResponseMessage {
  const listed = isJsonObject(answer.result) ? memberOf(answer.result, 'supportedVersions') : undefined;
  if (!Array.isArray(listed)) return answer;
  const left = listed.filter((item) => !isUnknown(item));
  if (left.length === listed.length || left.length === 0) return answer;
  const by = JSON.stringify(left);
  return { ...answer, text: rewriteMessage(answer.text, [{ path: ['result', 'supportedVersions'], by }]) };
}

function isUnknown(item: unknown): boolean {
  return (
    typeof item === 'string' && isModern(item) && !MODERN_REVISIONS.some((revision) => revision === item)
  );
}
