import type { RefusalReason } from './tokens/verdict.ts';

export type ChallengeError = 'invalid_request' | 'invalid_token';

/**
 * Returns the `WWW-Authenticate` header of a 401 (RFC 6750, section 3). It has no error when the request
 * carried no credential. It includes the address of the metadata (RFC 9728, section 5.1) when `resourceUrl`
 * is known, and the required scopes.
 */
export function renderChallenge(
  { realm, resourceUrl, scopes = [] }: ChallengeSettings,
  error?: ChallengeError,
  description = error && DESCRIPTIONS[error],
): string {
  const parameters = {
    ...(realm === '' ? {} : { realm }),
    ...(error === undefined ? {} : { error, error_description: description ?? '' }),
    ...(resourceUrl === undefined ? {} : { resource_metadata: metadataUrl(resourceUrl) }),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
  };
  const rendered = Object.entries(parameters).map(([name, value]) => `${name}="${escape(value)}"`);
  return ['Bearer', rendered.join(', ')].filter((part) => part !== '').join(' ');
}

export interface ChallengeSettings {
  /** Name of the protection space. Empty: the header has no realm. */
  readonly realm: string;
  readonly resourceUrl?: string;
  readonly scopes?: readonly string[];
}

export const DESCRIPTIONS: Readonly<Record<ChallengeError, string>> = {
  invalid_request: 'missing or malformed authorization header',
  invalid_token: 'token validation failed',
};

/**
 * Returns the reason for a rejected token as an MCP client may see it. It contains only what the client can
 * know itself, and nothing from the token.
 */
export function describeRefusal(reason: RefusalReason | 'no-provider'): string {
  const refusal: { readonly [Reason in typeof reason]?: string } = {
    expired: 'token is expired',
    'not-yet-valid': 'token is not valid yet',
    audience: 'token is for another audience',
    client: 'token is of another client',
    issuer: 'token is of another issuer',
    'no-provider': 'token is of another issuer',
    inactive: 'token is not active',
  };
  return refusal[reason] ?? DESCRIPTIONS.invalid_token;
}

/**
 * Returns the address of a resource's metadata, with the well-known part between host and path (RFC 9728,
 * section 3.1).
 */
export function metadataUrl(resourceUrl: string): string {
  const { origin, pathname } = new URL(resourceUrl);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
}

function escape(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}
