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
  /** Whether the authorization server has said that it took the tokens back. */
  readonly revoked: boolean;
  readonly notes: readonly string[];
}

/**
 * Takes back what a login to a registry has left: tokens at the authorization
 * server, the client that was registered for it, and what is kept here, which
 * goes whatever the others say. Throws ERR_REGISTRY_NOT_LOGGED_IN, and what the
 * secret store throws once the login is forgotten.
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

/** What became of the tokens. Rejects with the reason of the signal alone. */
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
