import { randomBytes } from 'node:crypto';
import {
  findPublishedLogin,
  type ClientLogin,
  type NamedClient,
  offersDeviceFlow,
  OauthWeb,
  probeRemote,
  type RegisteredClient,
  type TokenSet,
} from '@portolan/oauth-client';
import { serverBaseOf } from '@portolan/registry-client';
import { forgetClient, type LoginClient, provideClient } from '../login/login-client.ts';
import type { LoginObserver } from '../login/log-in.ts';
import type { Person } from '../login/person.ts';
import { getSecret } from '../secrets/manage-secrets.ts';
import { checkLoginStore } from '../login/stored-login.ts';
import { walkLogin } from '../login/walk-login.ts';
import { type LoginTokens, readLoginTokens, registeredClientOf, storeLoginTokens } from './login-tokens.ts';
import { type RegistryLoginContext, withTokens } from './login-access.ts';
import { inTermsOfRegistry, loginNotRequired } from './registry-login-errors.ts';
import {
  findRegistryLogin,
  keyOf,
  type RegistryLogin,
  rememberRegistryLogin,
  withLoginLock,
} from './registry-logins.ts';

export interface RegistryLoginRequest extends NamedClient {
  /** Address of the registry or its server, as `parseServerAddress` returns it. */
  readonly registry: URL;
  /**
   * Name under which the secret store holds the secret of the user's OAuth client; undefined for a client
   * without a secret.
   */
  readonly clientSecret: string | undefined;
  readonly skipsBrowser: boolean;
  /** Local port to which the authorization server redirects the browser; undefined for the default. */
  readonly callbackPort: number | undefined;
}

export interface RegistryLoginDone {
  readonly login: RegistryLogin;
  readonly expiresAt: string | undefined;
}

/**
 * Logs the user in to a registry, in a browser or on another device, and stores the tokens. Throws
 * ERR_LOGIN_NOT_POSSIBLE when the registry demands no login and no issuer is named, ERR_LOGIN_*,
 * ERR_SECRET_NOT_FOUND for the client's secret, and the error of a store that is not set up.
 */
export async function logInToRegistry(
  request: RegistryLoginRequest,
  context: RegistryLoginContext,
  observer: LoginObserver & { readonly person: Person },
  signal: AbortSignal,
): Promise<RegistryLoginDone> {
  const { openFetch, environment } = context;
  const base = serverBaseOf(request.registry);
  const ownSecret = await secretOf(request, context, signal);
  const web = await OauthWeb.open({ named: [base.href, request.issuer], openFetch, environment });
  try {
    observer.step('login', `Finding the login of ${base.host}`);
    const challenge = await challengeOf(request.registry, base, web, signal);
    if (challenge === undefined && request.issuer === undefined) throw loginNotRequired(nameOf(base));
    const publishedLogin = await findPublishedLogin(base, request, challenge ?? new Map(), web, signal);
    await checkLoginStore(keyOf(nameOf(base)), 'registry', context, signal);
    observer.step('login', `Logging in to ${base.host}`);
    // The registry names the issuer and the scopes, so tell the user which address gets the token.
    if (new URL(publishedLogin.server.issuer).host !== base.host)
      observer.note(
        `The token of ${publishedLogin.server.issuer} is sent to ${nameOf(publishedLogin.address)} and to URLs below it.`,
      );
    return await logInAt(publishedLogin, { ...request, ownSecret }, { web, context, observer }, signal);
  } catch (error) {
    throw inTermsOfRegistry(error, nameOf(base));
  } finally {
    await web.close();
  }
}

/** Returns the registry's challenge to a request without a token; undefined when it accepts such requests. */
async function challengeOf(
  registry: URL,
  base: URL,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string> | undefined> {
  const asking = [{ method: 'GET', headers: { accept: 'application/json' } }];
  for (const address of [`${nameOf(base)}/v1/me`, `${nameOf(registry)}/v0.1/servers?limit=1`]) {
    const probe = await probeRemote(new URL(address), asking, web, signal);
    if (probe.wants === 'token') return probe.challenge;
  }
  return undefined;
}

/**
 * Returns the secret of the user's OAuth client. Returns undefined unless the user names both the client and
 * the issuer, so that no other server can get the secret.
 */
async function secretOf(
  { issuer, clientId, clientSecret }: RegistryLoginRequest,
  context: RegistryLoginContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (clientSecret === undefined || issuer === undefined || clientId === undefined) return undefined;
  return await getSecret(clientSecret, context, { signal });
}

interface LoginWork {
  readonly web: OauthWeb;
  readonly context: RegistryLoginContext;
  readonly observer: LoginObserver & { readonly person: Person };
}

async function logInAt(
  client: ClientLogin,
  {
    callbackPort,
    skipsBrowser,
    ownSecret,
  }: RegistryLoginRequest & { readonly ownSecret: string | undefined },
  { web, context, observer }: LoginWork,
  signal: AbortSignal,
): Promise<RegistryLoginDone> {
  const { server, clientId } = client;
  const { person } = observer;
  const address = nameOf(client.address);
  const before = await registeredBefore(client, context, signal);
  const usesDevice = !person.hasBrowser && !skipsBrowser && offersDeviceFlow(server);
  const choice = {
    own: clientId === undefined ? undefined : { clientId, clientSecret: ownSecret },
    earlier: before?.client,
    earlierPort: before?.port,
    callbackPort,
  };
  const place = { ...client, usesDevice };
  const provided = await provideClient(choice, place, web, signal);
  try {
    const { clock } = context;
    const usual = { timeoutMs: undefined, scopeParamName: 'scope', clock };
    const extra = client.parameters;
    const named = { forWhat: address, remoteUrl: address };
    const walk = { ...usual, ...named, place, provided, person, web, skipsBrowser, extra };
    const tokenSet = await walkLogin(walk, signal);
    if (tokenSet.refreshToken === undefined)
      observer.warn(`${server.issuer} issues no refresh token: log in again when the token expires.`);
    const login = loginOf(address, client, provided, tokenSet);
    const { clientSecret } = provided.client;
    const registrationToken = provided.registered?.management?.token;
    const tokens = withTokens({ clientSecret, registrationToken }, tokenSet, login, context);
    await keep(login, tokens, context, signal);
    return { login, expiresAt: tokens.expiresAt };
  } catch (error) {
    await forgetClient(provided, web);
    throw error;
  } finally {
    await provided.listener.close();
  }
}

/** Stores the tokens before the record of the login, so that every recorded login has tokens. */
async function keep(
  login: RegistryLogin,
  tokens: LoginTokens,
  context: RegistryLoginContext,
  signal: AbortSignal,
): Promise<void> {
  const { address } = login;
  const { directories } = context;
  const store = async (): Promise<void> => {
    await storeLoginTokens(address, tokens, context, signal);
    await rememberRegistryLogin(address, login, directories, signal);
  };
  await withLoginLock(address, directories, store, signal);
}

/**
 * Returns the client registered for the earlier login at the same issuer; undefined when the user names a
 * client.
 */
async function registeredBefore(
  { address, server, clientId }: ClientLogin,
  context: RegistryLoginContext,
  signal: AbortSignal,
): Promise<{ readonly client: RegisteredClient; readonly port: number | undefined } | undefined> {
  const login = await findRegistryLogin(address, context.directories);
  if (login?.address !== nameOf(address) || login.issuer !== server.issuer || clientId !== undefined)
    return undefined;
  const tokens = await readLoginTokens(login.address, context, signal);
  const client = tokens === undefined ? undefined : registeredClientOf(login, tokens);
  return client === undefined ? undefined : { client, port: login.registration?.callbackPort };
}

function loginOf(
  address: string,
  match: ClientLogin,
  provided: LoginClient,
  tokens: TokenSet,
): RegistryLogin {
  const { registered, client, listener } = provided;
  return {
    id: randomBytes(12).toString('hex'),
    address,
    resource: match.resource,
    issuer: match.server.issuer,
    clientId: client.clientId,
    token: match.token,
    registration:
      registered === undefined
        ? undefined
        : {
            url: registered.management?.url,
            authMethod: registered.authMethod,
            callbackPort: Number(new URL(listener.redirectUri).port),
            secretExpiresAt: registered.secretExpiresAt?.toISOString(),
          },
    scopes: tokens.scopes ?? match.scopes ?? [],
    subject: tokens.subject,
  };
}

/** Returns an address without a trailing slash, which is how Portolan stores and shows it. */
function nameOf(address: URL): string {
  return address.href.replace(/\/$/, '');
}
