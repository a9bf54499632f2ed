import type { TokenEndpointResponse, TokenEndpointResponseHelpers } from 'openid-client';
import { loginRefused } from '../errors.ts';

/** What an authorization server has given. */
export interface TokenSet {
  readonly accessToken: string;
  /** Undefined where the server does not say. */
  readonly expiresAt: Date | undefined;
  /** Undefined where there is none: when the access token ends, somebody has to log in again. */
  readonly refreshToken: string | undefined;
  /** Those that were granted; undefined where it is exactly what was asked for. */
  readonly scopes: readonly string[] | undefined;
  /** Who has logged in, as an ID token says; undefined where there is none. */
  readonly subject: string | undefined;
  /** Says who has logged in; undefined where there is none. */
  readonly idToken?: { readonly text: string; readonly expiresAt: Date } | undefined;
}

/** A hundred years; soon after that no date is one. */
const MAX_SECONDS = 100 * 366 * 24 * 3600;

/** Splits granted scopes: at blanks (RFC 6749, section 3.3), else at commas, as GitHub and Slack write them. */
function splitScopes(text: string): readonly string[] {
  return text.split(text.includes(' ') ? ' ' : ',').filter((scope) => scope !== '');
}

/** Of an answer of the token endpoint. Throws ERR_LOGIN_REFUSED for a token that no header can hold. */
export function tokenSetOf(
  answer: TokenEndpointResponse & TokenEndpointResponseHelpers,
  now: Date,
  before?: string,
): TokenSet {
  const { access_token: accessToken, token_type: type, expires_in: seconds, refresh_token: refresh } = answer;
  if (type.toLowerCase() !== 'bearer')
    throw loginRefused('the server gives tokens that are no bearer tokens', undefined);
  const { id_token: idToken } = answer;
  for (const token of [accessToken, refresh ?? 'none', idToken ?? 'none']) {
    if (!/^[!-~]{1,65536}$/.test(token))
      throw loginRefused('the server gives a token that no header can hold', undefined);
  }
  if (seconds !== undefined && seconds > MAX_SECONDS)
    throw loginRefused(`the server gives a token that lives for ${seconds} s`, undefined);
  const claims = answer.claims();
  const name = [claims?.['email'], claims?.['name']].find((value) => typeof value === 'string');
  return {
    accessToken,
    // Some servers write 0 for a life that they do not tell.
    expiresAt: seconds === undefined || seconds === 0 ? undefined : new Date(now.getTime() + seconds * 1000),
    refreshToken: refresh ?? before,
    scopes: answer.scope === undefined ? undefined : splitScopes(answer.scope),
    subject: typeof name === 'string' ? name : claims?.sub,
    idToken:
      idToken === undefined || claims === undefined
        ? undefined
        : { text: idToken, expiresAt: new Date(claims.exp * 1000) },
  };
}
