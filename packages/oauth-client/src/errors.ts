import { PortolanError } from '@portolan/plugin-api';

/**
 * Creates the error for unusable metadata of a remote or its authorization server. `what` ends a sentence.
 */
export function discoveryFailed(what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_DISCOVERY',
    'unavailable',
    `The login of the remote server cannot be determined: ${what}.`,
    {
      hint: 'Name the authorization server with --remote-auth-issuer, or with --remote-auth-authorize-url and --remote-auth-token-url.',
      cause: inWords(cause),
    },
  );
}

/** Creates the error for login metadata that would lead to another party. */
export function discoveryRefused(what: string, hint?: string): PortolanError {
  return new PortolanError('ERR_LOGIN_UNTRUSTED', 'refused', `The login is refused: ${what}.`, {
    hint:
      hint ??
      'Check the address. The remote server or its authorization server is misconfigured, or is not the one that it claims to be.',
  });
}

/**
 * Creates the error for an authorization server that does not announce PKCE with S256. `isSilent`: it
 * announces no method at all.
 */
export function pkceNotAnnounced(issuer: string, isSilent: boolean): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_UNTRUSTED',
    'refused',
    `The login is refused: ${issuer} does not announce PKCE with S256.`,
    {
      hint: isSilent
        ? 'If it supports PKCE, name a client that is registered there: --remote-auth-client-id for a workload, --client-id for a registry. A workload can name the endpoints instead: --remote-auth-authorize-url and --remote-auth-token-url.'
        : 'It announces only other methods. Ask its operator to support S256.',
    },
  );
}

/** Creates the error for a failed client registration (RFC 7591). */
export function registrationFailed(what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_REGISTRATION',
    'refused',
    `The OAuth client could not be registered: ${what}.`,
    {
      hint: 'Register a client manually, and pass it with --remote-auth-client-id and, if it has one, --remote-auth-client-secret-file.',
      cause: inWords(cause),
    },
  );
}

/** Creates the error for a refusal of the authorization server or its user. `error` is a code of RFC 6749. */
export function loginRefused(what: string, error: string | undefined, cause?: unknown): PortolanError {
  const code = error === undefined ? '' : ` (${error})`;
  return new PortolanError('ERR_LOGIN_REFUSED', 'refused', `The login was refused: ${what}${code}.`, {
    hint: 'Try again. Check that the authorization server knows the scopes, the client and the resource.',
    cause: inWords(cause),
  });
}

/**
 * Creates the error for an unreachable or temporarily unavailable authorization server, which has not
 * refused.
 */
export function loginUnreachable(what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_UNREACHABLE',
    'unavailable',
    `The authorization server failed: ${what}.`,
    {
      hint: 'Log in again later. If this persists, check that its address is reachable from this machine.',
      cause: inWords(cause),
    },
  );
}

/** Creates the error for a login that was not completed in time. */
export function loginTimedOut(seconds: number): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_TIMEOUT',
    'unavailable',
    `The login was not completed within ${seconds} s.`,
    {
      hint: 'Extend the time with --remote-auth-timeout, or press Enter during the login.',
    },
  );
}

/** Creates the error for a registered redirect port in use. */
export function callbackPortTaken(port: number, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_PORT',
    'conflict',
    `Port ${port} of this machine is in use, and the client is registered only for this port.`,
    {
      hint: 'Free the port, or choose another registered one with --remote-auth-callback-port.',
      cause: inWords(cause),
    },
  );
}

/** Creates the error for tokens that cannot be renewed without the user. */
export function loginExpired(what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_LOGIN_EXPIRED', 'refused', `The login has ended: ${what}.`, {
    hint: 'Log in again: `portolan login NAME`.',
    cause: inWords(cause),
  });
}

/** Creates the error for an invalid response of the authorization server, which may be temporary. */
export function tokenUnavailable(what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_LOGIN_TOKEN', 'unavailable', `No token is available now: ${what}.`, {
    hint: 'Portolan retries automatically. `portolan status NAME` shows the state.',
    cause: inWords(cause),
  });
}

/**
 * Converts a thrown value to text: the library attaches responses, including tokens, as causes, and logs
 * write causes.
 */
export function inWords(thrown: unknown): unknown {
  if (!(thrown instanceof Error))
    return thrown === undefined ? undefined : new Error('a value that is not an error was thrown');
  if (thrown.cause === undefined) return thrown;
  const cause = thrown.cause instanceof Error ? inWords(thrown.cause) : undefined;
  if (cause === thrown.cause) return thrown;
  const { name, message, stack } = thrown;
  const copy = new Error(message, cause === undefined ? {} : { cause });
  const code = 'code' in thrown ? { code: thrown.code } : {};
  return Object.assign(copy, { name, stack, ...code, ...answeredCode(thrown) });
}

/** Returns the server's error code (RFC 6749, section 5.2), which `oauthErrorOf` reads later. */
function answeredCode(thrown: Error): { readonly error?: string } {
  if (!('error' in thrown) || typeof thrown.error !== 'string') return {};
  return /^[ !#-[\]-~]{1,100}$/.test(thrown.error) ? { error: thrown.error } : {};
}
