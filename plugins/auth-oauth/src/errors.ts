import { isForbidden } from './is-forbidden.ts';
import { type KindProblem, PortolanError } from '@portolan/plugin-api';

// The texts of the first three are what clients of this API know; the reason
// for a refusal stands in the log, never in the answer.

/** What a refused request is answered with: Koa reads status and headers from the error. */
export type Refusal = PortolanError & {
  readonly status: 400 | 401;
  readonly expose: true;
  readonly headers: Readonly<Record<string, string>>;
  /** The body of the answer where that is OAuth's (RFC 6750, 3.1). */
  readonly oauth: { readonly error: string; readonly error_description: string };
};

/** What a refused client is told. */
export interface Challenge {
  readonly header: string;
  readonly error: string;
  readonly description: string;
}

/** The request has no `Authorization` header. */
export function credentialMissing(challenge: Challenge): Refusal {
  return refusal(
    new PortolanError('ERR_CREDENTIAL_MISSING', 'refused', 'missing or malformed authorization header'),
    challenge,
  );
}

/** The `Authorization` header is no bearer token, or there are several. */
export function credentialMalformed(challenge: Challenge, status: 400 | 401 = 401): Refusal {
  return refusal(
    new PortolanError('ERR_CREDENTIAL_MALFORMED', 'refused', 'missing or malformed authorization header'),
    challenge,
    status,
  );
}

/** No provider accepts the token. */
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

/** Nobody can say whether a token is good. Names no provider: whoever sent the token may read it. */
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
 * The provider has an address that the settings do not let be asked: that does not
 * pass by itself, so nobody is told to try again.
 */
function providerForbidden(cause: unknown): PortolanError & { readonly status: 503; readonly expose: true } {
  const what =
    'The settings of this server do not let it reach the identity provider that has issued the token.';
  return Object.assign(
    new PortolanError('ERR_PROVIDER_UNAVAILABLE', 'unavailable', what, {
      hint: 'Whoever runs the server has to change its settings; its log has the reason.',
      publicMessage: what,
      cause,
    }),
    { status: 503 as const, expose: true as const },
  );
}

/** Settings that the schema lets pass and that cannot be used; all of them, a line each when there are several. */
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

/** A file named in the settings cannot be read, or holds nothing that can be used. Never shows its content. */
export function fileUnusable(path: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_OAUTH_CONFIG', 'fault', `The file ${path} ${what}.`, {
    hint: 'Check the path, and that the user that runs Portolan may read the file.',
    cause,
  });
}

/** An endpoint of a provider did not answer, or with something that cannot be used. */
export function endpointUnusable(url: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_OAUTH_ENDPOINT', 'unavailable', `${url} ${what}.`, {
    hint: 'Check the address in the settings of the provider, and that this machine may connect to it.',
    cause,
  });
}

/** The keys of a provider could not be had so far, or the last ones are too old, or asking again failed. */
export function keysUnavailable(cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_OAUTH_KEYS',
    'unavailable',
    'The keys of the provider cannot be had at the moment.',
    {
      hint: 'The log has the reason; they are asked for again.',
      cause,
    },
  );
}

/** More requests to an introspection endpoint are under way than are made at once. */
export function introspectionBusy(): PortolanError {
  return new PortolanError('ERR_OAUTH_BUSY', 'busy', 'Too many tokens are being looked up at the moment.', {
    hint: 'See why the introspection endpoint is slow, or let clients use tokens that are JWT.',
  });
}

/** What a login began with is not what one of this provider begins with. */
export function loginStrange(): PortolanError {
  return new PortolanError('ERR_OAUTH_LOGIN', 'refused', 'The login did not begin at this provider.', {
    hint: 'Begin it again.',
  });
}
