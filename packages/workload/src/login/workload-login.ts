import type { StoredClient, StoredTokens, RenewedLogin, WorkloadLogin, Logger } from '@portolan/plugin-api';
import {
  findSecretReference,
  type RemoteAuth,
  remoteAuthOf,
  type RunConfig,
  type StoredLogin,
  withLogin,
} from '@portolan/run-spec';
import { type SecretOwner, storedOwner } from '../secrets/secret-owner.ts';
import { findLoginSecret, storeSecrets } from '../secrets/store-secrets.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { loginMarkerOf, withLoginLock, readLoginMarker } from './login-marker.ts';
import { findClientSecret, type SecretsByName } from './remote-secrets.ts';
import { nameOfLoginSecret, withRenewedClient } from './stored-login.ts';

const LOOK_EVERY_MS = 2000;

interface LoginWatch {
  /**
   * Registers a callback that runs after a login or logout. Returns a function that unregisters the callback.
   */
  onChange(then: () => Promise<void>): () => void;
  /** Checks the marker file now. Resolves after all callbacks have run. */
  look(): Promise<void>;
  close(): void;
}

/** Checks the marker file of a workload every two seconds. */
async function watchLogins(marker: string, logger: Logger): Promise<LoginWatch> {
  let seen = await readLoginMarker(marker);
  const listeners = new Set<() => Promise<void>>();
  const look = async (): Promise<void> => {
    const now = await readLoginMarker(marker);
    if (now === seen) return;
    seen = now;
    // If a callback adds another callback, this loop calls that one too.
    for (const then of listeners) await then();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => logger.warn({ err: error }, 'a change of logins could not be checked'));
  }, LOOK_EVERY_MS);
  timer.unref();
  return {
    onChange: (then) => {
      listeners.add(then);
      return () => void listeners.delete(then);
    },
    look,
    close: () => clearInterval(timer),
  };
}

export type LoginContext = Pick<
  WorkloadContext,
  'store' | 'directories' | 'environment' | 'user' | 'kinds' | 'logger'
>;

/** Access token that the command obtained in a login and passes to the supervisor's process. */
export interface HandedLogin {
  readonly accessToken: string;
  /** RFC 3339 time; undefined when unknown. */
  readonly expiresAt: string | undefined;
}

export interface LoginWork {
  readonly config: RunConfig;
  /** Secrets that the starting command passed to the supervisor, by name. */
  readonly secrets: SecretsByName;
  readonly handed: HandedLogin | undefined;
  readonly lacks: WorkloadLogin['lacks'];
  readonly stepUp: WorkloadLogin['stepUp'];
}

export interface WatchedLogin extends WorkloadLogin {
  close(): void;
}

/** Returns the login of a remote workload, for the credentials kind that uses it. */
export async function watchLogin(work: LoginWork, context: LoginContext): Promise<WatchedLogin> {
  const { config, secrets, handed, lacks, stepUp } = work;
  const { name } = config;
  const { login } = remoteAuthOf(config);
  const { directories, logger, store } = context;
  const watch = await watchLogins(loginMarkerOf(name, directories), logger);
  return {
    isThere: (login?.refreshToken ?? login?.accessToken) !== undefined,
    handed: handed && {
      accessToken: handed.accessToken,
      expiresAt: handed.expiresAt === undefined ? undefined : new Date(handed.expiresAt),
      isRenewed: login?.refreshToken !== undefined,
    },
    read: async (signal) => await readLogin((await store.getConfig(name)).config, secrets, context, signal),
    keep: async (renewed, signal) => await keepRenewed(name, renewed, context, signal),
    keepClient: async (client, signal) => await keepClient(name, client, context, signal),
    alone: async (act, signal) => await withLoginLock(name, directories, act, signal),
    onChange: (then) => watch.onChange(then),
    lacks,
    stepUp:
      stepUp &&
      (async (scopes) => {
        await stepUp(scopes);
        await watch.look();
      }),
    close: () => watch.close(),
  };
}

/**
 * Stores a renewed login. Stores the refresh token first, because its loss forces the user to log in again;
 * the other values only inform `status`.
 */
async function keepRenewed(
  name: string,
  { refreshToken, expiresAt, scopes, subject }: RenewedLogin,
  context: LoginContext,
  signal: AbortSignal,
): Promise<void> {
  const { store, logger } = context;
  const { config } = await store.getConfig(name);
  const { login: renewed } = remoteAuthOf(config);
  if (refreshToken !== undefined) {
    const secretName = secretNameIn(renewed?.refreshToken) ?? nameOfLoginSecret('OAUTH_REFRESH_TOKEN', name);
    await storeSecrets([{ name: secretName, value: refreshToken }], context, { scope: 'workloads', signal });
  }
  try {
    await changeLogin(name, renewed, context, (login) => ({
      ...login,
      scopes: scopes ?? login.scopes,
      subject: subject ?? login.subject,
      expiresAt: expiresAt?.toISOString(),
    }));
  } catch (error) {
    logger.warn({ err: error, workload: name }, 'the expiry of the new token could not be stored');
  }
}

/**
 * Stores a renewed client. Stores its secrets first, because otherwise only the authorization server knows
 * them.
 */
async function keepClient(
  name: string,
  { registration, ...client }: StoredClient,
  context: LoginContext,
  signal: AbortSignal,
): Promise<void> {
  const { login } = remoteAuthOf((await context.store.getConfig(name)).config);
  if (login?.clientId !== client.clientId) return;
  const registered = {
    ...client,
    authMethod: client.authMethod,
    management: registration,
    secretExpiresAt: registration?.secretExpiresAt,
  };
  const { secrets } = withRenewedClient(login, registered, name);
  await storeSecrets(secrets, context, { scope: 'workloads', signal });
  await changeLogin(name, login, context, (now) => withRenewedClient(now, registered, name).login);
}

/** Changes the stored login, unless the user has logged in with another client meanwhile. */
async function changeLogin(
  name: string,
  of: StoredLogin | undefined,
  { store }: LoginContext,
  change: (login: StoredLogin) => StoredLogin,
): Promise<void> {
  await store.changeConfig(name, (config) => {
    const { login } = remoteAuthOf(config);
    if (login === undefined || login.clientId !== of?.clientId || login.issuer !== of.issuer) return config;
    return { ...config, remote_auth_config: withLogin(config.remote_auth_config, change(login)) };
  });
}

/**
 * Reads the login from the store, which may contain a newer login than the one that the supervisor received
 * at its start.
 */
async function readLogin(
  config: RunConfig,
  handed: SecretsByName,
  context: LoginContext,
  signal: AbortSignal,
): Promise<StoredTokens | undefined> {
  const auth = remoteAuthOf(config);
  const { login } = auth;
  if (login?.issuer === undefined) return undefined;
  const { issuer, resource, scopes, subject, expiresAt } = login;
  const { refreshToken, accessToken } = login;
  const owner = storedOwner(config, context.store);
  return {
    issuer,
    named: { issuer: auth.issuer, authorizeUrl: auth.authorizeUrl, tokenUrl: auth.tokenUrl },
    resource,
    scopes,
    subject,
    client: await clientOf({ auth, login, handed, owner }, context, signal),
    refreshToken: await findReferred(refreshToken, owner, context, signal),
    accessToken:
      refreshToken === undefined ? await findReferred(accessToken, owner, context, signal) : undefined,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
  };
}

interface ClientFacts {
  readonly auth: RemoteAuth;
  readonly login: StoredLogin;
  readonly handed: SecretsByName;
  readonly owner: SecretOwner;
}

async function clientOf(
  { auth, login, handed, owner }: ClientFacts,
  context: LoginContext,
  signal: AbortSignal,
): Promise<StoredClient> {
  const { clientId } = login;
  if (auth.clientId !== clientId) {
    // Loaded on demand, because only a workload with a login needs this module.
    const { clientRegisteredBefore, redirectUriOf } = await import('./login-client.ts');
    const stored = await storedSecrets([login.clientSecret, login.registrationToken], owner, context, signal);
    const registered = clientRegisteredBefore(login, stored);
    if (registered !== undefined) {
      const { management, secretExpiresAt, ...client } = registered;
      const redirectUri = redirectUriOf(login);
      return { ...client, registration: management && { ...management, secretExpiresAt, redirectUri } };
    }
  }
  return { clientId, clientSecret: await findClientSecret(auth, handed, context.environment) };
}

async function storedSecrets(
  references: readonly (string | undefined)[],
  owner: SecretOwner,
  context: LoginContext,
  signal: AbortSignal,
): Promise<SecretsByName> {
  const login: { [name: string]: string } = {};
  for (const reference of references) {
    const name = secretNameIn(reference);
    const value = await findReferred(reference, owner, context, signal);
    if (name !== undefined && value !== undefined) login[name] = value;
  }
  return login;
}

async function findReferred(
  reference: string | undefined,
  owner: SecretOwner,
  context: LoginContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = secretNameIn(reference);
  return name === undefined ? undefined : await findLoginSecret(name, context, owner, signal);
}

function secretNameIn(reference: string | undefined): string | undefined {
  return reference === undefined ? undefined : findSecretReference(reference)?.name;
}
