import { answering } from '@portolan/mcp-protocol';
import { PortolanError } from '@portolan/plugin-api';

/** The server's process ended while somebody waited for its answer. */
export function serverExited(cause?: unknown): PortolanError {
  const error = new PortolanError(
    'ERR_SERVER_EXITED',
    'unavailable',
    'The server ended before it answered.',
    {
      hint: 'Look at the log of the workload, and begin a new session.',
      cause,
    },
  );
  return answering(error, { data: { reason: 'server_exited' } });
}

/** The server's answer is longer than a message may be. */
export function answerTooLarge(): PortolanError {
  const error = new PortolanError(
    'ERR_ANSWER_TOO_LARGE',
    'unavailable',
    'The answer of the server is too large.',
    { hint: 'Ask the server for less at once.' },
  );
  return answering(error, { data: { reason: 'response_too_large' } });
}

/** The server's response breaks the rules of JSON or JSON-RPC. */
export function answerMalformed(fault: string): PortolanError {
  const error = new PortolanError(
    'ERR_ANSWER_UNREADABLE',
    'unavailable',
    `The response of the server is no valid JSON-RPC message: ${fault}.`,
    { hint: 'Report this to the author of the server; the log of the workload shows the line.' },
  );
  return answering(error, { data: { reason: 'invalid_response' } });
}

/** No answer came in time. */
export function serverTimedOut(limitMs: number): PortolanError {
  const error = new PortolanError(
    'ERR_SERVER_TIMED_OUT',
    'unavailable',
    `No answer within ${limitMs / 1000} s.`,
    { hint: 'Look at the log of the workload; servers keep a request alive by reporting progress.' },
  );
  return answering(error, { status: 504, data: { reason: 'timeout' } });
}

/** Code of the error with which clients of language servers, and SDKs of MCP, know a cancelled request. */
export const REQUEST_CANCELLED = -32800;

/** The client cancelled the request, and the server sent no response within the time for it. */
export function requestCancelled(): PortolanError {
  const error = new PortolanError('ERR_REQUEST_CANCELLED', 'conflict', 'Request cancelled', {
    hint: 'No action is needed: the client cancelled the request.',
  });
  return answering(error, { status: 200, rpcCode: REQUEST_CANCELLED, endsStream: true });
}

/** The server takes its messages slower than they come. */
export function serverBusy(): PortolanError {
  return new PortolanError('ERR_SERVER_BUSY', 'busy', 'The server does not read its messages.', {
    hint: 'Try again later; look at the log of the workload.',
    retryAfterSeconds: 5,
  });
}

/** No process of the server could be had in time. */
export function serverNotStarted(cause?: unknown): PortolanError {
  return new PortolanError('ERR_SERVER_NOT_STARTED', 'busy', 'The server is being started.', {
    hint: 'Try again in a few seconds; the log of the workload says why it takes long.',
    retryAfterSeconds: 5,
    cause,
  });
}

/** The server cannot be reached for a reason that the supervisor knows, such as an engine that does not respond. */
export function serverAway(reason: string): PortolanError {
  return new PortolanError('ERR_SERVER_AWAY', 'busy', `The server cannot be reached: ${reason}.`, {
    hint: 'Calls are served again as soon as it can be reached; `portolan status` shows why it cannot.',
    retryAfterSeconds: 5,
  });
}

/** The proxy stops. */
export function proxyClosing(): PortolanError {
  return new PortolanError('ERR_PROXY_CLOSING', 'busy', 'The proxy is stopping.', {
    hint: 'Connect again once the workload runs.',
    retryAfterSeconds: 5,
  });
}
