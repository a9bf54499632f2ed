import { type KindProblem, PortolanError } from '@portolan/plugin-api';
import { isForbidden } from './is-forbidden.ts';

// Clients of this API know the messages of the first three. The reason for a refusal is logged, and never in
// the response.

/** Koa reads status and headers from the error. */
export type Refusal = PortolanError & {
  readonly status: 400 | 401;
  readonly expose: true;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the response in OAuth's form (RFC 6750, section 3.1). */
  readonly oauth: { readonly error: string; readonly error_description: string };
};

export interface Challenge {
  readonly header: string;
  readonly error: string;
  readonly description: string;
}

/** Creates the error for a request without `Authorization` header. */
export function credentialMissing(challenge: Challenge): Refusal {
  return refusal(
    new PortolanError('ERR_CREDENTIAL_MISSING', 'refused', 'missing or malformed authorization header'),
    challenge,
  );
}

/** Creates the error for an `Authorization` header that is no bearer token, or for several. */
export function credentialMalformed(challenge: Challenge, status: 400 | 401 = 401): Refusal {
  return refusal(
    new PortolanError('ERR_CREDENTIAL_MALFORMED', 'refused', 'missing or malformed authorization header'),
    challenge,
    status,
  );
}

/** Creates the error for a token that no provider accepts. */
export function tokenRefused(challenge: Challenge): Refusal {
  return refusal(new PortolanError('ERR_TOKEN_REFUSED', 'refused', 'token validation failed'), challenge);
}

function refusal(
  error: PortolanError,
  { header, error: code, description }: Challenge,
  status: 400 | 401 = 401,
): Refusal {
  return Object.assign(error, {
    status,
    expose: true as const,
    headers: { 'WWW-Authenticate': header },
    oauth: { error: code, error_description: description },
  });
}

/**
 * Creates the error for a token that cannot be verified now. Names no provider, because the sender of the
 * token may read it.
 */
export function providerUnavailable(
  cause: unknown,
): PortolanError & { readonly status: 503; readonly expose: true } {
  if (isForbidden(cause)) return providerForbidden(cause);
  const what = 'The identity provider that has issued the token cannot be reached at the moment.';
  return Object.assign(
    new PortolanError('ERR_PROVIDER_UNAVAILABLE', 'unavailable', what, {
      hint: 'Try again in a few seconds.',
      publicMessage: what,
      retryAfterSeconds: 5,
      cause,
    }),
    { status: 503 as const, expose: true as const },
  );
}

/**
 * Creates the error for a provider whose address the settings forbid. It does not invite a retry, because the
 * state is permanent.
 */
function providerForbidden(cause: unknown): PortolanError & { readonly status: 503; readonly expose: true } {
  const what =
    'The settings of this server forbid the connection to the identity provider that issued the token.';
  return Object.assign(
    new PortolanError('ERR_PROVIDER_UNAVAILABLE', 'unavailable', what, {
      hint: 'The operator has to change the settings of the server; its log has the reason.',
      publicMessage: what,
      cause,
    }),
    { status: 503 as const, expose: true as const },
  );
}

/**
 * Creates the error for settings that the schema accepts and that are unusable: all problems, one per line
 * when there are several.
 */
export function settingsInvalid(problems: readonly KindProblem[]): PortolanError {
  const lines = problems.map(
    ({ place, found, expected }) => `${place}: found ${found}; expected ${expected}`,
  );
  const text =
    lines.length === 1 ? `: ${lines.join('')}.` : `, ${lines.length} in all:\n  ${lines.join('\n  ')}`;
  return new PortolanError('ERR_OAUTH_CONFIG', 'fault', `The settings in auth.oauth have problems${text}`, {
    hint: 'Correct these settings.',
  });
}

/**
 * Creates the error for a configured file that is unreadable or has unusable content. Never shows its
 * content.
 */
export function fileUnusable(path: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_OAUTH_CONFIG', 'fault', `The file ${path} ${what}.`, {
    hint: 'Check the path, and that the user that runs Portolan may read the file.',
    cause,
  });
}

/** Creates the error for a provider endpoint without response, or with an unusable one. */
export function endpointUnusable(url: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_OAUTH_ENDPOINT', 'unavailable', `${url} ${what}.`, {
    hint: 'Check the address in the settings of the provider, and that this machine may connect to it.',
    cause,
  });
}

/**
 * Creates the error for keys of a provider that were never fetched, or are too old, or failed to be fetched
 * again.
 */
export function keysUnavailable(cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_OAUTH_KEYS',
    'unavailable',
    'The keys of the provider are unavailable at the moment.',
    {
      hint: 'See the log for the reason. The server fetches the keys again by itself.',
      cause,
    },
  );
}

/** Creates the error for too many simultaneous requests to an introspection endpoint. */
export function introspectionBusy(): PortolanError {
  return new PortolanError(
    'ERR_OAUTH_BUSY',
    'busy',
    'Too many tokens are being introspected at the moment.',
    {
      hint: 'Find out why the introspection endpoint is slow, or use JWT access tokens.',
    },
  );
}

/** Creates the error for a login state that this provider did not create. */
export function loginStrange(): PortolanError {
  return new PortolanError('ERR_OAUTH_LOGIN', 'refused', 'The login was not started with this provider.', {
    hint: 'Start the login again.',
  });
}
