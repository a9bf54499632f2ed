import { attachResponse } from '@portolan/mcp-protocol';
import { PortolanError } from '@portolan/plugin-api';
import { REQUEST_CANCELLED } from './server-errors.ts';

export function sessionIdMalformed(): PortolanError {
  return new PortolanError(
    'ERR_SESSION_INVALID',
    'mistake',
    'The header Mcp-Session-Id contains no valid session id.',
    { hint: 'Send the id from the response to "initialize": 1 to 256 visible ASCII characters.' },
  );
}

/** Creates the error for a request without session other than `initialize`. */
export function sessionMissing(): PortolanError {
  return new PortolanError('ERR_SESSION_INVALID', 'mistake', 'The request has no session id.', {
    hint: 'Send "initialize" first, and the Mcp-Session-Id of its response with every later request.',
  });
}

export function sessionAlreadyStarted(): PortolanError {
  return new PortolanError('ERR_SESSION_INVALID', 'mistake', 'This stream already has a session.', {
    hint: 'Open another stream for another session.',
  });
}

export function sessionUnknown(): PortolanError {
  return attachResponse(
    new PortolanError('ERR_SESSION_UNKNOWN', 'absent', 'Session not found', {
      hint: 'Send "initialize" without a session id to start a new session.',
    }),
    { rpcCode: -32001 },
  );
}

/** Creates the error for too many open sessions, none of which was idle for long enough to be ended. */
export function sessionsExhausted(most: number): PortolanError {
  return new PortolanError(
    'ERR_SESSIONS_EXHAUSTED',
    'busy',
    `All ${most} sessions of this server are in use.`,
    {
      hint: 'Try again later, end a session with DELETE, or allow more with `portolan change NAME --max-sessions NUMBER`.',
      retryAfterSeconds: 5,
    },
  );
}

/** Creates the error for a session that ended while a request waited for its response. */
export function sessionEnded(): PortolanError {
  return attachResponse(
    new PortolanError('ERR_SESSION_ENDED', 'absent', 'Request cancelled: the session has ended.', {
      hint: 'Start a new session with "initialize".',
    }),
    { status: 200, rpcCode: REQUEST_CANCELLED, endsStream: true },
  );
}

/** Creates the error for an unreachable session store, without which the owner of a session is unknown. */
export function sessionsUnavailable(cause: unknown): PortolanError {
  return attachResponse(
    new PortolanError('ERR_SESSIONS_UNAVAILABLE', 'unavailable', 'The session store is unavailable.', {
      hint: 'Check the session store that `portolan inspect NAME` shows. The session continues once the store is available again.',
      retryAfterSeconds: 5,
      cause,
    }),
    { status: 503 },
  );
}

/** Creates the error for a session store that is configured for a server that cannot use one. */
export function sessionsNotStored(server: string): PortolanError {
  return new PortolanError(
    'ERR_SESSION_INVALID',
    'mistake',
    `Sessions of ${server} cannot be kept in a session store.`,
    {
      hint: 'Run the server without --session-store, which is for servers and remotes with streamable HTTP.',
    },
  );
}
