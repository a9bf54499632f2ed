import { PortolanError } from '@portolan/plugin-api';
import { inWords } from './in-words.ts';

/**
 * Creates the error for unusable metadata of a remote or its authorization server. `what` ends a sentence.
 */
export function discoveryFailed(what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_DISCOVERY',
    'unavailable',
    `How to log in cannot be found out: ${what}.`,
    {
      hint: 'Name the authorization server with --remote-auth-issuer, or with --remote-auth-authorize-url and --remote-auth-token-url.',
      cause: inWords(cause),
    },
  );
}

/** Creates the error for login metadata that would lead to another party. */
export function discoveryRefused(what: string, hint?: string): PortolanError {
  return new PortolanError('ERR_LOGIN_UNTRUSTED', 'refused', `The login is refused: ${what}.`, {
    hint: hint ?? 'The remote server, or its authorization server, is set up wrongly or is not what it says.',
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
        : 'It announces other methods alone: ask its operators to support S256.',
    },
  );
}

/** Creates the error for a failed client registration (RFC 7591). */
export function registrationFailed(what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_REGISTRATION',
    'refused',
    `No OAuth client could be registered: ${what}.`,
    {
      hint: 'Register one by hand and give it with --remote-auth-client-id and, if it has one, --remote-auth-client-secret-file.',
      cause: inWords(cause),
    },
  );
}

/** Creates the error for a refusal of the authorization server or its user. `error` is a code of RFC 6749. */
export function loginRefused(what: string, error: string | undefined, cause?: unknown): PortolanError {
  const code = error === undefined ? '' : ` (${error})`;
  return new PortolanError('ERR_LOGIN_REFUSED', 'refused', `The login was refused: ${what}${code}.`, {
    hint: 'Try again; the scopes, the client and the resource have to be known to the authorization server.',
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
    `The authorization server could not answer: ${what}.`,
    {
      hint: 'Log in again in a while; if it goes on, look whether its address can be reached from here.',
      cause: inWords(cause),
    },
  );
}

/** Creates the error for a login that was not completed in time. */
export function loginTimedOut(seconds: number): PortolanError {
  return new PortolanError('ERR_LOGIN_TIMEOUT', 'unavailable', `Nobody logged in within ${seconds} s.`, {
    hint: 'Wait longer with --remote-auth-timeout, or press Enter while the login waits.',
  });
}

/** Creates the error for a registered redirect port in use. */
export function callbackPortTaken(port: number, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_LOGIN_PORT',
    'conflict',
    `Port ${port} of this machine is taken, and the client is registered for it alone.`,
    {
      hint: 'Free it, or name another one that the client is registered for: --remote-auth-callback-port.',
      cause: inWords(cause),
    },
  );
}

/** Creates the error for tokens that cannot be renewed without the user. */
export function loginExpired(what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_LOGIN_EXPIRED', 'refused', `The login is over: ${what}.`, {
    hint: 'Log in again: `portolan login NAME`.',
    cause: inWords(cause),
  });
}

/** Creates the error for an invalid response of the authorization server, which may be temporary. */
export function tokenUnavailable(what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_LOGIN_TOKEN', 'unavailable', `No token can be had at the moment: ${what}.`, {
    hint: 'It is tried again by itself; `portolan status NAME` shows how that goes.',
    cause: inWords(cause),
  });
}
