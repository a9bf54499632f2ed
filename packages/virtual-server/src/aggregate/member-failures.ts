import { isJsonObject, memberOf, type ResponseMessage, type RpcError } from '@portolan/mcp-protocol';
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
 * Reasons why a request over HTTP failed. The connection writes them into an error that looks like a response of
 * the server.
 */
const HTTP_REASONS = new Set([
  'unauthorized',
  'forbidden',
  'rate-limited',
  'unreachable',
  'unavailable',
  'interrupted',
  'session-lost',
  'rejected',
  'invalid-response',
  'credentials',
  'busy',
]);

export interface HttpFailure {
  readonly reason: string;
  readonly error: RpcError;
  /** Members of `error.data`. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Returns the failed request over HTTP that a response describes. Undefined for a response of the server. */
export function readHttpFailure({ isError, text }: ResponseMessage): HttpFailure | undefined {
  if (!isError || !text.includes('"reason"')) return undefined;
  const message: unknown = JSON.parse(text);
  const error = isJsonObject(message) ? memberOf(message, 'error') : undefined;
  const data = isJsonObject(error) ? memberOf(error, 'data') : undefined;
  const reason = isJsonObject(data) ? memberOf(data, 'reason') : undefined;
  if (!isJsonObject(error) || !isJsonObject(data)) return undefined;
  if (typeof reason !== 'string' || !HTTP_REASONS.has(reason)) return undefined;
  const { code, message: why } = error;
  return { reason, error: { code: Number(code), message: String(why) }, data };
}
