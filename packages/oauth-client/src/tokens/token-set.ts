import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { loginRefused } from '../errors.ts';

export interface TokenSet {
  readonly accessToken: string;
  readonly expiresAt: Date | undefined;
  /** Refresh token. Without one, the user must log in again when the access token expires. */
  readonly refreshToken: string | undefined;
  /** Granted scopes, if they differ from the requested ones. */
  readonly scopes: readonly string[] | undefined;
  readonly subject: string | undefined;
  readonly idToken?: { readonly text: string; readonly expiresAt: Date } | undefined;
}

/** Maximum lifetime in seconds: a hundred years, beyond which dates become invalid. */
const MAX_SECONDS = 100 * 366 * 24 * 3600;

/** Splits scopes at spaces (RFC 6749, section 3.3), otherwise at commas, as GitHub and Slack write them. */
function splitScopes(text: string): readonly string[] {
  return text.split(text.includes(' ') ? ' ' : ',').filter((scope) => scope !== '');
}

/**
 * Creates the token set from a response. Throws ERR_LOGIN_REFUSED for a token with characters that a header
 * must not contain.
 */
export function tokenSetOf(
  response: TokenEndpointResponse & TokenEndpointResponseHelpers,
  now: Date,
  before?: string,
): TokenSet {
  const {
    access_token: accessToken,
    token_type: type,
    expires_in: seconds,
    refresh_token: refresh,
  } = response;
  if (type.toLowerCase() !== 'bearer')
    throw loginRefused('the server gives tokens that are no bearer tokens', undefined);
  const { id_token: idToken } = response;
  for (const token of [accessToken, refresh ?? 'none', idToken ?? 'none']) {
    if (!/^[!-~]{1,65536}$/.test(token))
      throw loginRefused('the server gives a token that no header can hold', undefined);
  }
  if (seconds !== undefined && seconds > MAX_SECONDS)
    throw loginRefused(`the server gives a token that lives for ${seconds} s`, undefined);
  const claims = response.claims();
  const name = [claims?.['email'], claims?.['name']].find((value) => typeof value === 'string');
  return {
    accessToken,
    // Some servers write 0 for an unspecified lifetime.
    expiresAt: seconds === undefined || seconds === 0 ? undefined : new Date(now.getTime() + seconds * 1000),
    refreshToken: refresh ?? before,
    scopes: response.scope === undefined ? undefined : splitScopes(response.scope),
    subject: typeof name === 'string' ? name : claims?.sub,
    idToken:
      idToken === undefined || claims === undefined
        ? undefined
        : { text: idToken, expiresAt: new Date(claims.exp * 1000) },
  };
}
