import type { ClientMessage, ClientRequest, ProxiedWorkload } from '@portolan/plugin-api';
import { namedTargetOf, type NamedTarget } from './named-target.ts';

/** Facts about one completed message, or about a request without messages. */
export interface CallFacts {
  readonly request: ClientRequest;
  readonly workload: ProxiedWorkload;
  readonly message: ClientMessage | undefined;
  /** JSON-RPC method; `unknown` without one, `sse_connection` for a stream opened by GET. */
  readonly method: string;
  readonly target: NamedTarget | undefined;
  /** HTTP status; 0 if the client disconnected before the response. */
  readonly status: number;
  readonly durationMs: number;
  readonly responseBytes: number | undefined;
  readonly refusedWith: string | undefined;
  /** Status of the refusal, which can differ from the response's 200. Undefined without a refusal. */
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

/** Returns the status that decides the outcome; 0 if the client disconnected before a response. */
export function outcomeStatusOf({ status, refusalStatus }: End): number {
  return refusalStatus ?? status;
}

/** Returns whether the server responded and the proxy refused nothing. */
export function isSuccess({ status, refusedWith }: End): boolean {
  return status !== 0 && status < 400 && refusedWith === undefined;
}

/** Returns the type of error; undefined for a success or a disconnected client. */
export function errorTypeOf(end: End): string | undefined {
  const status = outcomeStatusOf(end);
  if (isSuccess(end) || status === 0) return undefined;
  return end.refusedWith ?? String(status);
}

/** Returns the network transport between the proxy and the server. */
export function networkOf({ transport, isRemote }: ProxiedWorkload): 'pipe' | 'tcp' {
  return transport === 'stdio' && !isRemote ? 'pipe' : 'tcp';
}
