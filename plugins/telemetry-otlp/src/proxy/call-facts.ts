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
  readonly status: number;
  readonly durationMs: number;
  readonly responseBytes: number | undefined;
  /** Code of the error that it was refused with. */
  readonly refusedWith: string | undefined;
}

export type End = Pick<CallFacts, 'status' | 'durationMs' | 'responseBytes' | 'refusedWith'>;

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

/** Why it failed, as attributes have it; undefined for what has not, and for a client that left. */
export function errorTypeOf({ status, refusedWith }: End): string | undefined {
  if (status !== 0 && status < 400 && refusedWith === undefined) return undefined;
  return status === 0 ? undefined : (refusedWith ?? String(status));
}

/** How the server is spoken to. */
export function networkOf({ transport, isRemote }: ProxiedWorkload): 'pipe' | 'tcp' {
  return transport === 'stdio' && !isRemote ? 'pipe' : 'tcp';
}
