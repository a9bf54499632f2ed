import {
  endsSoon,
  type FoundLogin,
  listenForRedirect,
  type OauthClient,
  type OauthWeb,
  redirectUriAt,
  type RedirectListener,
  registerClient,
  type RegisteredClient,
  renewClient,
  unregisterClient,
} from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import { CALLBACK_PORT, findSecretReference, type StoredLogin } from '@portolan/run-spec';
import type { SecretsByName } from './remote-secrets.ts';

/** Where the redirects of an earlier login arrived. */
export function redirectUriOf({ callbackPort }: Pick<StoredLogin, 'callbackPort'>): string {
  return redirectUriAt(callbackPort ?? CALLBACK_PORT);
}

/** Where somebody logs in, for what, and whether on another device. */
export interface LoginPlace extends Pick<FoundLogin, 'server' | 'scopes' | 'resource'> {
  readonly usesDevice: boolean;
  /** Whether it is for more scopes than an earlier client was registered for; left out: it is not. */
  readonly needsMore?: boolean;
}

/** As whom the login is made, and where its redirect arrives. */
export interface LoginClient {
  readonly client: OauthClient;
  /** Undefined for one that the user has registered. */
  readonly registered: RegisteredClient | undefined;
  /** Whether it was registered for this login. */
  readonly isNew: boolean;
  readonly listener: RedirectListener;
}

/** Which clients a login may be made as, best first. */
export interface ClientChoice {
  /** One that the user has registered: its redirects arrive at the port, and nowhere else. */
  readonly own: OauthClient | undefined;
  /** One that was registered for an earlier login at the same issuer. */
  readonly earlier: RegisteredClient | undefined;
  /** Where the redirects of the earlier one arrive. */
  readonly earlierPort: number | undefined;
  /** Undefined: the usual one. */
  readonly callbackPort: number | undefined;
}

/**
 * The client of a login, in this order: the user's
 * own, one registered earlier at the same issuer, a new one. The listener has to
 * be closed. Throws ERR_LOGIN_PORT and ERR_LOGIN_REGISTRATION.
 */
export async function provideClient(
  { own, earlier, earlierPort, callbackPort }: ClientChoice,
  found: LoginPlace,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<LoginClient> {
  const { server, scopes, usesDevice } = found;
  const port = callbackPort ?? CALLBACK_PORT;
  if (own !== undefined) {
    // A login on another device has no redirect, so that no port has to be free for it.
    const listener = await listenForRedirect(port, usesDevice);
    return { client: own, registered: undefined, isNew: false, listener };
  }
  if (earlier !== undefined) {
    const listener = await listenAgain(earlierPort ?? port);
    if (listener !== undefined) {
      const registered = await renewedInTime(earlier, found, listener.redirectUri, web, signal);
      if (registered !== undefined) return { client: registered, registered, isNew: false, listener };
      await listener.close();
    }
  }
  const listener = await listenForRedirect(port, true);
  try {
    const { redirectUri } = listener;
    const registered = await registerClient(server, { redirectUri, scopes, usesDevice }, web, signal);
    return { client: registered, registered, isNew: true, listener };
  } catch (error) {
    await listener.close();
    throw error;
  }
}

/** A client that was registered for a login that came to nothing is taken back, as far as that goes. */
export async function forgetClient({ isNew, registered }: LoginClient, web: OauthWeb): Promise<void> {
  if (!isNew || registered === undefined) return;
  await unregisterClient(registered, web, AbortSignal.timeout(FORGET_MS)).catch(() => false);
}

const FORGET_MS = 5000;

/** One whose secret ends soon gets a new one, and one for fewer scopes more (RFC 7592); undefined where that does not work. */
async function renewedInTime(
  client: RegisteredClient,
  { server, scopes, usesDevice, needsMore = false }: LoginPlace,
  redirectUri: string,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<RegisteredClient | undefined> {
  if (!endsSoon(client, new Date()) && !needsMore) return client;
  try {
    return await renewClient(server, client, { redirectUri, scopes, usesDevice }, web, signal);
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_LOGIN_REGISTRATION') return undefined;
    throw error;
  }
}

/** What was registered counts for its issuer alone. */
export function registeredBefore(
  login: StoredLogin | undefined,
  issuer: string,
  secrets: SecretsByName,
): RegisteredClient | undefined {
  return login?.issuer === issuer ? clientRegisteredBefore(login, secrets) : undefined;
}

/** The client of an earlier login, of whichever issuer; undefined for a document, and where its secret is gone. */
export function clientRegisteredBefore(
  login: StoredLogin,
  secrets: SecretsByName,
): RegisteredClient | undefined {
  if (login.usesDocument) return undefined;
  const expires = login.secretExpiresAt === undefined ? undefined : new Date(login.secretExpiresAt);
  const secretOf = (reference: string | undefined): string | undefined => {
    const name = reference === undefined ? undefined : findSecretReference(reference)?.name;
    return name === undefined ? undefined : secrets[name];
  };
  const [secret, token] = [secretOf(login.clientSecret), secretOf(login.registrationToken)];
  if (login.clientSecret !== undefined && secret === undefined) return undefined;
  return {
    clientId: login.clientId,
    clientSecret: secret,
    authMethod: login.authMethod,
    secretExpiresAt: expires,
    management:
      token === undefined || login.registrationUri === undefined
        ? undefined
        : { url: login.registrationUri, token },
  };
}

/**
 * Whether what looks after a registration is still here. Where it is not, the
 * client was taken back with a workload that is gone, or is of another machine.
 */
export function isStillOurs(login: StoredLogin | undefined, secrets: SecretsByName): boolean {
  if (login?.registrationToken === undefined) return true;
  const name = findSecretReference(login.registrationToken)?.name;
  return name !== undefined && Object.hasOwn(secrets, name);
}

/** On the port that was registered; undefined where that is taken. */
async function listenAgain(port: number): Promise<RedirectListener | undefined> {
  try {
    return await listenForRedirect(port, false);
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_LOGIN_PORT') return undefined;
    throw error;
  }
}
