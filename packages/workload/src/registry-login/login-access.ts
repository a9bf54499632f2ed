import {
  configurationOf,
  loginExpired,
  loginRefused,
  OauthWeb,
  refreshTokens,
  serverAt,
  type TokenSet,
} from '@portolan/oauth-client';
import type { RegistryAccess } from '@portolan/registry-client';
import type { WorkloadContext } from '../workload-context.ts';
import { type LoginTokens, readLoginTokens, registeredClientOf, storeLoginTokens } from './login-tokens.ts';
import { inTermsOfRegistry } from './registry-login-errors.ts';
import { findRegistryLogin, type RegistryLogin, withLoginLock } from './registry-logins.ts';

export type RegistryLoginContext = Pick<
  WorkloadContext,
  'directories' | 'environment' | 'user' | 'kinds' | 'openFetch' | 'clock' | 'logger'
>;

/**
 * Remaining lifetime of a token, in milliseconds, below which Portolan renews the token. For short-lived
 * tokens, a tenth of their lifetime applies.
 */
const AHEAD_MS = 30_000;

/**
 * Returns the access to a registry by means of the user's login; undefined without a login. Throws as
 * `findRegistryLogin`.
 */
export async function findLoginAccess(
  registry: URL,
  context: RegistryLoginContext,
  signal?: AbortSignal,
): Promise<RegistryAccess | undefined> {
  const login = await findRegistryLogin(registry, context.directories);
  return login === undefined ? undefined : accessOf(login, context, signal);
}

/**
 * Returns the access that a login gives. Renews the token when it expires, or when the registry rejects it.
 * If several processes need a renewal, one process renews and the others use its result. Throws
 * ERR_LOGIN_EXPIRED when the user must log in again, ERR_LOGIN_TOKEN, and what the secret store throws.
 */
export function accessOf(
  login: RegistryLogin,
  context: RegistryLoginContext,
  signal?: AbortSignal,
): RegistryAccess {
  const { address } = login;
  let known: Promise<LoginTokens> | undefined;
  const renew = async (refused: string | undefined): Promise<LoginTokens> => {
    try {
      return await withLoginLock(
        address,
        context.directories,
        () => renewAlone(login, refused, context, signal),
        signal,
      );
    } catch (error) {
      throw inTermsOfRegistry(error, address);
    }
  };
  const first = async (): Promise<LoginTokens> => {
    const stored = await readLoginTokens(address, context, signal);
    return stored !== undefined && isGood(stored, context.clock()) ? stored : await renew(undefined);
  };
  return {
    from: 'login',
    who: login.id,
    token: async () => {
      const tokens = await (known ??= first());
      if (isGood(tokens, context.clock())) return tokens.accessToken;
      known = renew(undefined);
      return (await known).accessToken;
    },
    renewed: async (refused) => {
      const tokens = await known;
      // If the current token is not the refused one, a concurrent request has already renewed it.
      if (tokens === undefined || tokens.accessToken === refused) known = renew(refused);
      const { accessToken } = (await known) ?? {};
      return accessToken === refused ? undefined : accessToken;
    },
  };
}

/**
 * Returns tokens that another process has stored in the meantime. Otherwise exchanges the refresh token and
 * stores the result.
 */
async function renewAlone(
  login: RegistryLogin,
  refused: string | undefined,
  context: RegistryLoginContext,
  signal: AbortSignal | undefined,
): Promise<LoginTokens> {
  const { address } = login;
  const current = await findRegistryLogin(new URL(address), context.directories);
  const stored = await readLoginTokens(address, context, signal);
  if (current?.id !== login.id || stored === undefined) throw loginExpired('the login no longer exists');
  if (stored.accessToken !== refused && isGood(stored, context.clock())) return stored;
  if (stored.refreshToken === undefined)
    throw loginExpired('its token has ended, and there is none to renew it');
  signal?.throwIfAborted();
  // From here on the server may have invalidated the refresh token, so an abort must wait until the next one
  // is stored.
  const ends = AbortSignal.timeout(RENEWAL_MS);
  const tokenSet = await trade(login, stored, stored.refreshToken, context, ends);
  const renewed = withTokens(stored, tokenSet, login, context);
  try {
    await storeLoginTokens(address, renewed, context, ends);
  } catch (error) {
    context.logger.error(
      { err: error, registry: address },
      'the new tokens for the registry could not be stored; log in again after this command',
    );
  }
  return renewed;
}

const RENEWAL_MS = 30_000;

async function trade(
  login: RegistryLogin,
  tokens: LoginTokens,
  refreshToken: string,
  { openFetch, environment, clock }: RegistryLoginContext,
  signal: AbortSignal,
): Promise<TokenSet> {
  const { issuer, address, clientId, resource } = login;
  const web = await OauthWeb.open({ named: [address, issuer], openFetch, environment });
  try {
    const server = await serverAt(issuer, NO_ENDPOINTS, web, signal);
    const { clientSecret } = tokens;
    const client = registeredClientOf(login, tokens) ?? { clientId, clientSecret };
    return await refreshTokens(await configurationOf(server, client, web), refreshToken, resource, clock);
  } finally {
    await web.close();
  }
}

/**
 * Combines a token response with the stored client secrets into the tokens to store. Throws ERR_LOGIN_REFUSED
 * when the response lacks the kind of token that the registry accepts.
 */
export function withTokens(
  stored: Pick<LoginTokens, 'clientSecret' | 'registrationToken'>,
  tokenSet: TokenSet,
  { token, issuer }: Pick<RegistryLogin, 'token' | 'issuer'>,
  { clock }: Pick<RegistryLoginContext, 'clock'>,
): LoginTokens {
  const { clientSecret, registrationToken } = stored;
  const { refreshToken, idToken } = tokenSet;
  if (token === 'id_token' && idToken === undefined)
    throw loginRefused(`${issuer} issued no ID token, which the registry requires`, undefined);
  const [accessToken, end] =
    token === 'id_token' && idToken !== undefined
      ? [idToken.text, idToken.expiresAt]
      : [tokenSet.accessToken, tokenSet.expiresAt];
  const [issuedAt, expiresAt] = [clock().toISOString(), end?.toISOString()];
  return { accessToken, issuedAt, expiresAt, refreshToken, clientSecret, registrationToken };
}

/** Discovery options without any endpoint, so that discovery finds all endpoints in the issuer's metadata. */
export const NO_ENDPOINTS = { issuer: undefined, authorizeUrl: undefined, tokenUrl: undefined };

/** Returns whether a token needs no renewal yet. A token without an expiry never needs renewal. */
function isGood({ expiresAt, issuedAt }: LoginTokens, now: Date): boolean {
  if (expiresAt === undefined) return true;
  const left = Date.parse(expiresAt) - now.getTime();
  const life = issuedAt === undefined ? Infinity : Date.parse(expiresAt) - Date.parse(issuedAt);
  return left > Math.min(AHEAD_MS, life / 10);
}
