import { attachResponse, shortened } from '@portolan/mcp-protocol';
import { PortolanError } from '@portolan/plugin-api';
import { markDenial } from './denials.ts';

/**
 * Creates the error for an unreachable server of a reverse proxy. The cause's code tells a name fault from a
 * certificate fault.
 */
export function backendUnreachable(cause: unknown): PortolanError {
  const hasCode = cause instanceof Error && 'code' in cause && typeof cause.code === 'string';
  const why = hasCode ? ` (${shortened(String(cause.code))})` : '';
  // The server did not get the request, and may be restarting.
  const isRefused = hasCode && ['ECONNREFUSED', 'EAI_AGAIN'].includes(String(cause.code));
  return attachResponse(
    new PortolanError('ERR_BACKEND_UNREACHABLE', 'unavailable', `The server cannot be reached${why}.`, {
      hint: 'Check in the log of the workload that the server listens on the target port.',
      ...(isRefused ? { retryAfterSeconds: 5 } : {}),
      cause,
    }),
    { status: 502 },
  );
}

/** Creates the error for a plugin's credentials that cannot be sent; nothing was sent. */
export function credentialsBroken(what: string, cause?: unknown): PortolanError {
  return markDenial(
    new PortolanError(
      'ERR_OUTGOING_CREDENTIALS',
      'fault',
      `A plugin returned unusable outgoing credentials: ${what}.`,
      { hint: 'Fix the plugin, or remove it from the run config.', cause },
    ),
  );
}

/**
 * Creates the error for a remote server that rejects the credentials of the workload (401), or requires more
 * permissions (403). The server's own status would make the client log in, which does not help.
 */
export function workloadRefused(status: 401 | 403, renewal: string): PortolanError {
  const reason =
    status === 401
      ? 'does not accept the credentials of this workload'
      : 'says that the credentials of this workload lack permissions';
  return attachResponse(
    markDenial(
      new PortolanError(
        'ERR_WORKLOAD_REFUSED',
        'refused',
        `The remote server ${reason} (status ${status}). ${renewal}`,
        { hint: 'Log in again: `portolan login NAME`, or start the workload with another token.' },
      ),
    ),
    { status: 403, rpcCode: 403 },
  );
}

/** Creates the error for a connection to the server that was not made in time. */
export function backendTooSlow(limitMs: number): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_SERVER_TIMED_OUT',
      'unavailable',
      `No connection to the server within ${limitMs / 1000} s.`,
      { hint: 'Check that the address of the server is correct and reachable from this machine.' },
    ),
    { status: 504 },
  );
}

/** Creates the error for a redirect of a remote server that the proxy must not follow. */
export function redirectRefused(reason: string): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_ANSWER_UNREADABLE',
      'unavailable',
      `The server redirects the request ${reason}, which the proxy does not follow.`,
      { hint: 'Run the workload with the address that the server redirects to.' },
    ),
    { status: 502 },
  );
}

/** Creates the error for an HTTP+SSE stream whose `endpoint` event names another machine. */
export function endpointForeign(): PortolanError {
  return new PortolanError(
    'ERR_ANSWER_UNREADABLE',
    'unavailable',
    'The server announced a message endpoint on another origin; expected its own origin.',
    { hint: 'Run the workload with the address at which the server itself responds.' },
  );
}

/** Creates the error for a response that must be judged and has an unsupported encoding. */
export function answerUnreadable(encoding: string): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_ANSWER_UNREADABLE',
      'unavailable',
      `The server compressed its response (${shortened(encoding)}) although the request did not accept compression.`,
      { hint: 'Disable compression in the server.' },
    ),
    { status: 502 },
  );
}

/** Creates the error for a compressed response that must be judged and is broken or truncated. */
export function answerBroken(cause: unknown): PortolanError {
  const code = cause instanceof Error && 'code' in cause ? ` (${shortened(String(cause.code))})` : '';
  return attachResponse(
    new PortolanError(
      'ERR_ANSWER_UNREADABLE',
      'unavailable',
      `The server's compressed response cannot be decompressed${code}.`,
      { hint: 'Disable compression in the server.', cause },
    ),
    { status: 502 },
  );
}

/** Creates the error for a forwarded header with an invalid or missing name. */
export function forwardedHeaderInvalid(name: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_FORWARDED_HEADER_INVALID',
    'fault',
    `The header ${JSON.stringify(shortened(name))} cannot be forwarded: ${fault}.`,
    { hint: 'Write --remote-forward-headers Name=Value.' },
  );
}

/** Creates the error for a forwarded header that belongs to the connection itself. */
export function forwardedHeaderRestricted(name: string): PortolanError {
  return new PortolanError(
    'ERR_FORWARDED_HEADER_RESTRICTED',
    'refused',
    `header "${name}" is restricted and cannot be configured for forwarding`,
    { hint: 'Remove the header: the proxy sets it itself.' },
  );
}

/**
 * Creates the error for a client that logged in at the remote server itself and got a token that the server
 * rejects. A challenge would only repeat the login.
 */
export function clientLoginFailed(workload: string): PortolanError {
  return attachResponse(
    markDenial(
      new PortolanError(
        'ERR_CLIENT_LOGIN',
        'refused',
        `The remote server does not accept the token of this client, which is for the address of the workload. Log in with Portolan instead: portolan login ${workload}`,
        { hint: `Run \`portolan login ${workload}\`, so that Portolan logs in for all clients.` },
      ),
    ),
    { status: 403, rpcCode: 403 },
  );
}

/**
 * Returns the body of a 404 response at the paths where 2025-03-26 clients look for an authorization server.
 */
export function noAuthorizationServer(): object {
  return {
    error: 'not_found',
    error_description:
      'This address belongs to a workload of Portolan and is not an authorization server. The metadata at /.well-known/oauth-protected-resource names one. Without such metadata, clients cannot log in here; use portolan login.',
  };
}
