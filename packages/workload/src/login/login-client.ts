import {
  endsSoon,
  type DiscoveredLogin,
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

export function redirectUriOf({ callbackPort }: Pick<StoredLogin, 'callbackPort'>): string {
  return redirectUriAt(callbackPort ?? CALLBACK_PORT);
}

/**
 * Where a login happens: authorization server, scopes and resource, and whether the user logs in on another
 * device.
 */
export interface LoginTarget extends Pick<DiscoveredLogin, 'server' | 'scopes' | 'resource'> {
  readonly usesDevice: boolean;
  /** Whether the login needs more scopes than the client was registered for; default: false. */
  readonly needsMore?: boolean;
}

export interface LoginClient {
  readonly client: OauthClient;
  /** Registration of the OAuth client; undefined when the user registered the client manually. */
  readonly registered: RegisteredClient | undefined;
  readonly isNew: boolean;
  readonly listener: RedirectListener;
}

export interface ClientChoice {
  /**
   * OAuth client that the user registered manually. The authorization server redirects this client only to
   * the configured port.
   */
  readonly own: OauthClient | undefined;
  /** OAuth client that Portolan registered for an earlier login at the same issuer. */
  readonly earlier: RegisteredClient | undefined;
  readonly earlierPort: number | undefined;
  /** Local port to which the authorization server redirects the browser; undefined for the default. */
  readonly callbackPort: number | undefined;
}

/**
 * Returns the OAuth client for a login: the user's own client, else the client of an earlier login at the
 * same issuer, else a newly registered client. The caller closes the listener. Throws ERR_LOGIN_PORT and
 * ERR_LOGIN_REGISTRATION.
 */
export async function provideClient(
  { own, earlier, earlierPort, callbackPort }: ClientChoice,
  login: LoginTarget,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<LoginClient> {
  const { server, scopes, usesDevice } = login;
  const port = callbackPort ?? CALLBACK_PORT;
  if (own !== undefined) {
    // A login on another device has no redirect, so the port need not be free.
    const listener = await listenForRedirect(port, usesDevice);
    return { client: own, registered: undefined, isNew: false, listener };
  }
  if (earlier !== undefined) {
    const listener = await listenAgain(earlierPort ?? port);
    if (listener !== undefined) {
      const registered = await renewedInTime(earlier, login, listener.redirectUri, web, signal);
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

/** Removes a client that was registered for a failed login. Ignores errors. */
export async function forgetClient({ isNew, registered }: LoginClient, web: OauthWeb): Promise<void> {
  if (!isNew || registered === undefined) return;
  await unregisterClient(registered, web, AbortSignal.timeout(FORGET_MS)).catch(() => false);
}

const FORGET_MS = 5000;

/**
 * Renews a client whose secret expires soon, or that needs more scopes (RFC 7592). Returns undefined when the
 * renewal fails.
 */
async function renewedInTime(
  client: RegisteredClient,
  { server, scopes, usesDevice, needsMore = false }: LoginTarget,
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

export function registeredBefore(
  login: StoredLogin | undefined,
  issuer: string,
  secrets: SecretsByName,
): RegisteredClient | undefined {
  return login?.issuer === issuer ? clientRegisteredBefore(login, secrets) : undefined;
}

/**
 * Returns the client that was registered for an earlier login at any issuer. Returns undefined for a client
 * ID metadata document, and when the client's secret is missing.
 */
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
 * Returns whether this workload may still manage the registered client, which requires the stored
 * registration token. If the token is missing, the client was removed together with its workload, or belongs
 * to another machine.
 */
export function isStillOurs(login: StoredLogin | undefined, secrets: SecretsByName): boolean {
  if (login?.registrationToken === undefined) return true;
  const name = findSecretReference(login.registrationToken)?.name;
  return name !== undefined && Object.hasOwn(secrets, name);
}

async function listenAgain(port: number): Promise<RedirectListener | undefined> {
  try {
    return await listenForRedirect(port, false);
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_LOGIN_PORT') return undefined;
    throw error;
  }
}
