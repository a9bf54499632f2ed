import type { HttpFault } from '@portolan/mcp-client';
import type { JsonRecord } from '@portolan/mcp-protocol';
import { isPortolanError } from '@portolan/plugin-api';
import { MemberBusy } from '../members/member-places.ts';
import { MemberTimeout } from '../members/member-timeout.ts';

/** Texts for clients. The messages of errors may contain names of files and hosts. */
const BY_CODE: ReadonlyMap<string, string> = new Map([
  ['ERR_SERVER_TIMED_OUT', 'it took too long.'],
  ['ERR_SERVER_EXITED', 'its connection ended.'],
  ['ERR_SERVER_BUSY', 'it does not read its requests.'],
  ['ERR_SERVER_NOT_STARTED', 'it could not be started.'],
  ['ERR_REQUEST_CANCELLED', 'the request was cancelled.'],
  ['ERR_SESSION_ENDED', 'its session ended.'],
  ['ERR_ANSWER_TOO_LARGE', 'its response was too large.'],
  ['ERR_ANSWER_UNREADABLE', 'its response was not valid.'],
  ['ERR_PROXY_CLOSING', 'the virtual server is closing.'],
]);

/** Returns why a call failed, as a text for clients. */
export function describeFailure(error: unknown): string {
  if (error instanceof MemberTimeout || error instanceof MemberBusy) return `${error.message}.`;
  return (isPortolanError(error) ? BY_CODE.get(error.code) : undefined) ?? 'it could not be reached.';
}

/**
 * Returns what clients see of a request over HTTP that failed. The challenge is for the virtual server: it could
 * name addresses for a login.
 */
export function shownFault({ reason, details: { status, retryAfterSeconds } }: HttpFault): JsonRecord {
  return {
    reason,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
  };
}
