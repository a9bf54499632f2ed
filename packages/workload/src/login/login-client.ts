import {
  type FoundLogin,
  listenForRedirect,
  type OauthClient,
  type OauthWeb,
  type RedirectListener,
  registerClient,
  type RegisteredClient,
  renewClient,
} from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import { findSecretReference, type RemoteAuth, type StoredLogin } from '@portolan/run-spec';
import type { SecretsByName } from './remote-secrets.ts';

export const CALLBACK_PORT = 8666;

/** As whom the login is made, and where its redirect arrives. */
export interface LoginClient {
  readonly client: OauthClient;
  /** Undefined for one that the user has registered. */
  readonly registered: RegisteredClient | undefined;
  /** Whether it was registered for this login. */
  readonly isNew: boolean;
  readonly listener: RedirectListener;
}

/**
 * The client of a login, in the order of spec run-formats.md 15.3: the user's
 * own, one registered earlier at the same issuer, a new one. The listener has to
 * be closed. Throws ERR_LOGIN_PORT and ERR_LOGIN_REGISTRATION.
 */
export async function provideClient(
  auth: RemoteAuth,
  ownSecret: string | undefined,
  found: FoundLogin & { readonly usesDevice: boolean },
  secrets: SecretsByName,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<LoginClient> {
  const { server, scopes, usesDevice } = found;
  const port = auth.callbackPort ?? CALLBACK_PORT;
  if (auth.clientId !== undefined) {
    const listener = await listenForRedirect(port, false);
    return {
      client: { clientId: auth.clientId, clientSecret: ownSecret },
      registered: undefined,
      isNew: false,
      listener,
    };
  }
  const earlier = registeredBefore(auth.login, server.issuer, secrets);
  if (earlier !== undefined) {
    const listener = await listenAgain(auth.login?.callbackPort ?? port);
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

/** One whose secret ends soon gets a new one (RFC 7592); undefined where that does not work, or it has ended. */
async function renewedInTime(
  client: RegisteredClient,
  { server, scopes, usesDevice }: FoundLogin & { readonly usesDevice: boolean },
  redirectUri: string,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<RegisteredClient | undefined> {
  const { secretExpiresAt: ends } = client;
  if (ends === undefined || ends.getTime() > Date.now() + DAY_MS) return client;
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
  if (login === undefined || login.issuer !== issuer) return undefined;
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

const DAY_MS = 24 * 3600_000;

/** On the port that was registered; undefined where that is taken. */
async function listenAgain(port: number): Promise<RedirectListener | undefined> {
  try {
    return await listenForRedirect(port, false);
  } catch (error) {
    if (isPortolanError(error) && error.code === 'ERR_LOGIN_PORT') return undefined;
    throw error;
  }
}
