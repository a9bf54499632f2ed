import type { ClientMessage, ClientRequest, ProxiedWorkload } from '@portolan/plugin-api';
import { namedTargetOf, type NamedTarget } from './named-target.ts';

/** What is known of one message, or of a request without any, when it is over. */
export interface CallFacts {
  readonly request: ClientRequest;
  readonly workload: ProxiedWorkload;
  readonly message: ClientMessage | undefined;
  /** `unknown` where nothing says; `sse_connection` for a stream that is opened by GET. */
  readonly method: string;
  readonly target: NamedTarget | undefined;
  /** Of the HTTP response; 0 where the client left before there was one. */
  readonly status: number;
  readonly durationMs: number;
  readonly responseBytes: number | undefined;
  /** Code of the error that it was refused with. */
  readonly refusedWith: string | undefined;
  /** What kind of refusal that error is, as an HTTP status: the response may have had 200. Left out: that of the response. */
  readonly refusalStatus?: number | undefined;
}

export type End = Pick<
  CallFacts,
  'status' | 'durationMs' | 'responseBytes' | 'refusedWith' | 'refusalStatus'
>;

export function factsOf(
  request: ClientRequest,
  workload: ProxiedWorkload,
  message: ClientMessage | undefined,
  end: End,
): CallFacts {
  const method = message === undefined || message.kind === 'response' ? 'unknown' : message.method;
  return {
    request,
    workload,
    message,
    method,
    target: message === undefined ? undefined : namedTargetOf(message),
    ...end,
  };
}

/** Returns the HTTP status that says how a call ended; 0 where the client left before there was a response. */
export function outcomeStatusOf({ status, refusalStatus }: End): number {
  return refusalStatus ?? status;
}

/** Returns whether the server responded, and the proxy refused nothing. */
export function isSuccess({ status, refusedWith }: End): boolean {
  return status !== 0 && status < 400 && refusedWith === undefined;
}

/** Why it failed, as attributes have it; undefined for what has not, and for a client that left. */
export function errorTypeOf(end: End): string | undefined {
  const status = outcomeStatusOf(end);
  if (isSuccess(end) || status === 0) return undefined;
  return end.refusedWith ?? String(status);
}

/** How the server is spoken to. */
export function networkOf({ transport, isRemote }: ProxiedWorkload): 'pipe' | 'tcp' {
  return transport === 'stdio' && !isRemote ? 'pipe' : 'tcp';
}
