import {
  findValue,
  INTERNAL_ERROR,
  isJsonObject,
  memberOf,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
  type RpcError,
} from '@portolan/mcp-protocol';
import type { Member } from '../../members/member.ts';
import type { Seal } from '../../sealing/seal.ts';

/** Milliseconds for which a client may send a state back. */
const MAX_AGE_MS = 60 * 60_000;

export interface SealedFor {
  readonly seal: Seal;
  readonly member: Member;
  readonly owner: string | undefined;
  /** Monotonic time in milliseconds. */
  readonly nowMs: () => number;
}

const PURPOSE = 'request state';

/**
 * Returns a response whose `requestState` is sealed with member, caller and expiry, when callers share the
 * credentials of the member. Otherwise the response is unchanged.
 */
export function sealState(response: ResponseMessage, { seal, member, owner, nowMs }: SealedFor): string {
  const { text, result } = response;
  if (member.source.isPerCaller || !isJsonObject(result)) return text;
  const state = memberOf(result, 'requestState');
  if (typeof state !== 'string') return text;
  const sealed = seal.close(PURPOSE, {
    member: member.name,
    owner: owner ?? null,
    until: nowMs() + MAX_AGE_MS,
    state,
  });
  return rewriteMessage(text, [{ path: ['result', 'requestState'], by: JSON.stringify(sealed) }]);
}

/**
 * Returns the request with the state of the member, or the error for a state that is not of this member and
 * caller, or is too old.
 */
export function openState(
  message: RequestMessage,
  { seal, member, owner, nowMs }: SealedFor,
): { readonly request: RequestMessage } | { readonly error: RpcError } {
  const sealed = memberOf(message.params, 'requestState');
  if (member.source.isPerCaller || sealed === undefined) return { request: message };
  const opened = typeof sealed === 'string' ? seal.open(PURPOSE, sealed) : undefined;
  const content = isJsonObject(opened) ? opened : {};
  const isValid =
    content['member'] === member.name &&
    content['owner'] === (owner ?? null) &&
    Number(content['until']) > nowMs();
  if (!isValid)
    return { error: { code: INTERNAL_ERROR, message: 'The request has expired: start it again.' } };
  const path = ['params', 'requestState'];
  if (findValue(message.text, path) === undefined) return { request: message };
  const text = rewriteMessage(message.text, [{ path, by: JSON.stringify(content['state']) }]);
  return { request: { ...message, text } };
}
