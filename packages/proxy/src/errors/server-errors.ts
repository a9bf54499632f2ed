import { attachResponse } from '@portolan/mcp-protocol';
import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a server process that ended during a request. */
export function serverExited(cause?: unknown): PortolanError {
  const error = new PortolanError(
    'ERR_SERVER_EXITED',
    'unavailable',
    'The server exited before it responded.',
    {
      hint: 'Look at the log of the workload, and start a new session.',
      cause,
    },
  );
  return attachResponse(error, { data: { reason: 'server_exited' } });
}

/** Creates the error for a response that exceeds the size limit. */
export function answerTooLarge(): PortolanError {
  const error = new PortolanError(
    'ERR_ANSWER_TOO_LARGE',
    'unavailable',
    'The response of the server is too large.',
    { hint: 'Request less data at once.' },
  );
  return attachResponse(error, { data: { reason: 'response_too_large' } });
}

/** Creates the error for a response that violates JSON or JSON-RPC. */
export function answerMalformed(fault: string): PortolanError {
  const error = new PortolanError(
    'ERR_ANSWER_UNREADABLE',
    'unavailable',
    `The response of the server is not a valid JSON-RPC message: ${fault}.`,
    { hint: 'Report this to the author of the server; the log of the workload shows the line.' },
  );
  return attachResponse(error, { data: { reason: 'invalid_response' } });
}

/** Creates the error for a response that did not arrive in time. */
export function serverTimedOut(limitMs: number): PortolanError {
  const error = new PortolanError(
    'ERR_SERVER_TIMED_OUT',
    'unavailable',
    `The server did not respond within ${limitMs / 1000} s.`,
    { hint: 'Look at the log of the workload. A server keeps a long request alive by reporting progress.' },
  );
  return attachResponse(error, { status: 504, data: { reason: 'timeout' } });
}

/** JSON-RPC error code of a cancelled request, as in the Language Server Protocol and the MCP SDKs. */
export const REQUEST_CANCELLED = -32800;

/** Creates the error for a cancelled request without response in the time for it. */
export function requestCancelled(): PortolanError {
  const error = new PortolanError('ERR_REQUEST_CANCELLED', 'conflict', 'Request cancelled', {
    hint: 'No action is needed: the client cancelled the request.',
  });
  return attachResponse(error, { status: 200, rpcCode: REQUEST_CANCELLED, endsStream: true });
}

/** Creates the error for a server that processes messages too slowly. */
export function serverBusy(): PortolanError {
  return new PortolanError(
    'ERR_SERVER_BUSY',
    'busy',
    'The server does not read its input, and too many messages are queued.',
    {
      hint: 'Try again later, and look at the log of the workload.',
      retryAfterSeconds: 5,
    },
  );
}

/** Creates the error for a process that did not start in time. */
export function serverNotStarted(): PortolanError {
  return new PortolanError('ERR_SERVER_NOT_STARTED', 'busy', 'The server is still starting.', {
    hint: 'Try again in a few seconds. The log of the workload shows why it takes long.',
    retryAfterSeconds: 5,
  });
}

/** Creates the error for a process that failed to start. The cause may name internals, which clients do not see. */
export function serverFailedToStart(cause: unknown): PortolanError {
  return new PortolanError('ERR_SERVER_NOT_STARTED', 'busy', 'The server cannot be started.', {
    hint: 'Try again in a few seconds. The log of the workload shows the cause.',
    retryAfterSeconds: 5,
    cause,
  });
}

/**
 * Creates the error for a server that is unreachable for a reason that the supervisor knows, such as an
 * engine that does not respond.
 */
export function serverAway(reason: string): PortolanError {
  return new PortolanError('ERR_SERVER_AWAY', 'busy', `The server cannot be reached: ${reason}.`, {
    hint: 'Try again later: calls work as soon as the server is reachable. `portolan status` shows the reason.',
    retryAfterSeconds: 5,
  });
}

export function proxyClosing(): PortolanError {
  return new PortolanError('ERR_PROXY_CLOSING', 'busy', 'The proxy is stopping.', {
    hint: 'Connect again once the workload runs.',
    retryAfterSeconds: 5,
  });
}
