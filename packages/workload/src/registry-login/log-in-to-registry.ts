import { randomBytes } from 'node:crypto';
import {
  findPublishedLogin,
  type FoundClient,
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
import { inTermsOfRegistry, noLoginWanted } from './registry-login-errors.ts';
import {
  findRegistryLogin,
  keyOf,
  type RegistryLogin,
  rememberRegistryLogin,
  withLoginLock,
} from './registry-logins.ts';

/** A login to a registry, as it is asked for. */
export interface RegistryLoginRequest extends NamedClient {
  /** Of the registry or its server, as `parseServerAddress` gives it. */
  readonly registry: URL;
  /** Name of the secret of the client that is named, beside its issuer; undefined for a public one. */
  readonly clientSecret: string | undefined;
  readonly skipsBrowser: boolean;
  /** Undefined: the usual one. */
  readonly callbackPort: number | undefined;
}

/** What somebody who has logged in is told. */
export interface RegistryLoginDone {
  readonly login: RegistryLogin;
  readonly expiresAt: string | undefined;
}

/**
 * Logs somebody in to a registry, in a browser or on another device, and keeps
 * the tokens in the secret store. Throws ERR_LOGIN_NOT_POSSIBLE where the
 * registry asks for none and no issuer is named, ERR_LOGIN_*, ERR_SECRET_NOT_FOUND
 * for the secret of the client, and what a missing secret store throws.
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
    observer.step('login', `Looking for how to log in to ${base.host}`);
    const challenge = await challengeOf(request.registry, base, web, signal);
    if (challenge === undefined && request.issuer === undefined) throw noLoginWanted(nameOf(base));
    const found = await findPublishedLogin(base, request, challenge ?? new Map(), web, signal);
    await checkLoginStore(keyOf(nameOf(base)), 'registry', context, signal);
    observer.step('login', `Logging in to ${base.host}`);
    // A registry names whom to ask and for what: who consents there has to know for whom.
    if (new URL(found.server.issuer).host !== base.host)
      observer.note(
        `The token of ${found.server.issuer} goes to ${nameOf(found.address)}, and to what lies below it.`,
      );
    return await logInAt(found, { ...request, ownSecret }, { web, context, observer }, signal);
  } catch (error) {
    throw inTermsOfRegistry(error, nameOf(base));
  } finally {
    await web.close();
  }
}

/** What the registry says to somebody without a token; undefined where it answers whatever is asked. */
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

/** With a client and an issuer that the user has named, and with no others. */
async function secretOf(
  { issuer, clientId, clientSecret }: RegistryLoginRequest,
  context: RegistryLoginContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (clientSecret === undefined || issuer === undefined || clientId === undefined) return undefined;
  return await getSecret(clientSecret, context, { signal });
}

interface Surroundings {
  readonly web: OauthWeb;
  readonly context: RegistryLoginContext;
  readonly observer: LoginObserver & { readonly person: Person };
}

async function logInAt(
  found: FoundClient,
  {
    callbackPort,
    skipsBrowser,
    ownSecret,
  }: RegistryLoginRequest & { readonly ownSecret: string | undefined },
  { web, context, observer }: Surroundings,
  signal: AbortSignal,
): Promise<RegistryLoginDone> {
  const { server, clientId } = found;
  const { person } = observer;
  const address = nameOf(found.address);
  const before = await registeredBefore(found, context, signal);
  const usesDevice = !person.hasBrowser && !skipsBrowser && offersDeviceFlow(server);
  const choice = {
    own: clientId === undefined ? undefined : { clientId, clientSecret: ownSecret },
    earlier: before?.client,
    earlierPort: before?.port,
    callbackPort,
  };
  const place = { ...found, usesDevice };
  const provided = await provideClient(choice, place, web, signal);
  try {
    const { clock } = context;
    const usual = { timeoutMs: undefined, scopeParamName: 'scope', clock };
    const extra = found.parameters;
    const named = { forWhat: address, remoteUrl: address };
    const walk = { ...usual, ...named, place, provided, person, web, skipsBrowser, extra };
    const given = await walkLogin(walk, signal);
    if (given.refreshToken === undefined)
      observer.warn(
        `${server.issuer} gives no refresh token: when the token ends, somebody has to log in again.`,
      );
    const login = loginOf(address, found, provided, given);
    const { clientSecret } = provided.client;
    const registrationToken = provided.registered?.management?.token;
    const tokens = withTokens({ clientSecret, registrationToken }, given, login, context);
    await keep(login, tokens, context, signal);
    return { login, expiresAt: tokens.expiresAt };
  } catch (error) {
    await forgetClient(provided, web);
    throw error;
  } finally {
    await provided.listener.close();
  }
}

/** The tokens first: what is listed can be used. */
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

/** The client that was registered for the login of before, at the same issuer; undefined where one is named now. */
async function registeredBefore(
  { address, server, clientId }: FoundClient,
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
  found: FoundClient,
  provided: LoginClient,
  tokens: TokenSet,
): RegistryLogin {
  const { registered, client, listener } = provided;
  return {
    id: randomBytes(12).toString('hex'),
    address,
    resource: found.resource,
    issuer: found.server.issuer,
    clientId: client.clientId,
    token: found.token,
    registration:
      registered === undefined
        ? undefined
        : {
            url: registered.management?.url,
            authMethod: registered.authMethod,
            callbackPort: Number(new URL(listener.redirectUri).port),
            secretExpiresAt: registered.secretExpiresAt?.toISOString(),
          },
    scopes: tokens.scopes ?? found.scopes ?? [],
    subject: tokens.subject,
  };
}

/** An address as it is kept and shown: without a slash at its end. */
function nameOf(address: URL): string {
  return address.href.replace(/\/$/, '');
}
