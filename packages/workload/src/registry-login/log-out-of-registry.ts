import {
  configurationOf,
  OauthWeb,
  type Revocation,
  revokeToken,
  serverAt,
  unregisterClient,
} from '@portolan/oauth-client';
import { textOf } from '@portolan/run-spec';
import { noteOnTokens, type TakenBack } from '../login/taken-back.ts';
import { NO_ENDPOINTS, type RegistryLoginContext } from './login-access.ts';
import { deleteLoginTokens, type LoginTokens, readLoginTokens, registeredClientOf } from './login-tokens.ts';
import { notLoggedIn } from './registry-login-errors.ts';
import {
  findRegistryLogin,
  type RegistryLogin,
  rememberRegistryLogin,
  withLoginLock,
} from './registry-logins.ts';

export interface RegistryLogoutDone {
  readonly address: string;
  readonly issuer: string;
  readonly revoked: boolean;
  readonly notes: readonly string[];
}

/**
 * Logs out of a registry: revokes the tokens at the authorization server, removes the registered client, and
 * in any case deletes the local data. Throws ERR_REGISTRY_NOT_LOGGED_IN, and after that what the secret store
 * throws.
 */
export async function logOutOfRegistry(
  registry: URL,
  context: RegistryLoginContext,
  signal: AbortSignal,
): Promise<RegistryLogoutDone> {
  const { directories } = context;
  const login = await findRegistryLogin(registry, directories);
  if (login === undefined) throw notLoggedIn(registry.href.replace(/\/$/, ''));
  const { address, issuer } = login;
  const end = async (): Promise<TakenBack['tokens']> => {
    try {
      const tokens = await readLoginTokens(address, context, signal);
      return tokens === undefined ? { is: 'none' } : await takeBack(login, tokens, context, signal);
    } finally {
      await rememberRegistryLogin(address, undefined, directories, signal);
      await deleteLoginTokens(address, context, signal);
    }
  };
  const taken = await withLoginLock(address, directories, end, signal);
  return { address, issuer, revoked: taken.is === 'done', notes: noteOnTokens(issuer, taken) };
}

/** Revokes the tokens. Rejects only with the reason of the signal. */
async function takeBack(
  login: RegistryLogin,
  tokens: LoginTokens,
  { openFetch, environment }: RegistryLoginContext,
  signal: AbortSignal,
): Promise<Revocation> {
  const { issuer, address, clientId } = login;
  const web = await OauthWeb.open({ named: [address, issuer], openFetch, environment });
  try {
    const server = await serverAt(issuer, NO_ENDPOINTS, web, signal);
    const registered = registeredClientOf(login, tokens);
    const configuration = await configurationOf(
      server,
      registered ?? { clientId, clientSecret: tokens.clientSecret },
      web,
    );
    const revoked = await revokeToken(configuration, tokens.refreshToken ?? tokens.accessToken);
    if (registered !== undefined) await unregisterClient(registered, web, signal);
    return revoked;
  } catch (error) {
    signal.throwIfAborted();
    return { is: 'unreachable', why: textOf(error) };
  } finally {
    await web.close();
  }
}
