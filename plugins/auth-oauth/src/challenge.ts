export type ChallengeError = 'invalid_request' | 'invalid_token';

/**
 * The `WWW-Authenticate` header of a 401 (RFC 6750, 3): bare when the request
 * carried no credential, and with the address of the metadata (RFC 9728, 5.1)
 * when `resourceUrl` is known.
 */
export function renderChallenge(
  { realm, resourceUrl }: { readonly realm: string; readonly resourceUrl?: string },
  error?: ChallengeError,
): string {
  const parameters = {
    realm,
    ...(error === undefined ? {} : { error, error_description: DESCRIPTIONS[error] }),
    ...(resourceUrl === undefined ? {} : { resource_metadata: metadataUrl(resourceUrl) }),
  };
  const rendered = Object.entries(parameters).map(([name, value]) => `${name}="${escape(value)}"`);
  return `Bearer ${rendered.join(', ')}`;
}

const DESCRIPTIONS: Readonly<Record<ChallengeError, string>> = {
  invalid_request: 'missing or malformed authorization header',
  invalid_token: 'token validation failed',
};

/** Where the metadata of a resource is: the well-known part goes between host and path (RFC 9728, 3.1). */
export function metadataUrl(resourceUrl: string): string {
  const { origin, pathname } = new URL(resourceUrl);
  return `${origin}/.well-known/oauth-protected-resource${pathname === '/' ? '' : pathname}`;
}

function escape(text: string): string {
  return text.replaceAll(/["\\]/g, '\\$&');
}
