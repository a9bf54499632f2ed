import type * as openid from 'openid-client';
import { reasonIn } from '@portolan/outbound';
import { isPortolanError } from '@portolan/plugin-api';
import { loginExpired, tokenUnavailable } from '../errors.ts';
import { oauthErrorOf } from '../login/code-flow.ts';
import { loadOpenid } from '../registration/oauth-client.ts';
import { isTransient } from './transient-error.ts';
import { type TokenSet, tokenSetOf } from './token-set.ts';

/**
 * Exchanges a refresh token for new tokens. If the response contains no refresh token, the old one stays
 * valid. Throws ERR_LOGIN_EXPIRED when the server rejects it, and ERR_LOGIN_TOKEN for transient errors.
 */
export async function refreshTokens(
  configuration: openid.Configuration,
  refreshToken: string,
  resource: string | undefined,
  now: () => Date,
): Promise<TokenSet> {
  const { refreshTokenGrant } = await loadOpenid();
  try {
    return tokenSetOf(
      await refreshTokenGrant(configuration, refreshToken, resource === undefined ? {} : { resource }),
      now(),
      refreshToken,
    );
  } catch (error) {
    if (isPortolanError(error)) throw error;
    const code = oauthErrorOf(error);
    const status = error instanceof Error && 'status' in error ? error.status : undefined;
    if (code !== undefined && !isTransient(code, status))
      throw loginExpired(`the authorization server has refused to renew it (${code})`, error);
    throw tokenUnavailable(code ?? reasonIn(error), error);
  }
}
