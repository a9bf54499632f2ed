import { configurationOf, OauthWeb, revokeToken, serverAt, unregisterClient } from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import { remoteAuthOf, type RunConfig, secretNamesIn, withLogin } from '@portolan/run-spec';
import { deleteOwnSecrets, findOwnSecret, storeSecrets } from '../secrets/store-secrets.ts';
import { withLock } from '../state/file-lock.ts';
import { workloadUnknown } from '../state/state-errors.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { describeLogin, type LoginDescription } from './describe-login.ts';
import { type LoggedIn, logIn, type LoginObserver } from './log-in.ts';
import { registeredBefore } from './login-client.ts';
import { loginNotPossible } from './login-errors.ts';
import { loginLockOf, loginMarkerOf, touchLoginMarker } from './login-marker.ts';
import { LOGIN_SECRETS, LOGIN_TOKENS, nameOfLoginSecret } from './stored-login.ts';

/**
 * Logs somebody in to the remote server of a workload, whatever it was logged
 * in as, for what it was allowed before, what its requests have lacked, and
 * `more`. One that runs takes the new login within seconds. Throws
 * ERR_WORKLOAD_UNKNOWN, ERR_LOGIN_NOT_POSSIBLE and ERR_LOGIN_*.
 */
export async function logInAgain(
  name: string,
  context: WorkloadContext,
  observer: LoginObserver,
  signal: AbortSignal,
  more: readonly string[] = [],
): Promise<LoginDescription> {
  const config = await configOf(name, context);
  const lacking = [...((await context.store.find(name))?.state?.missingScopes ?? []), ...more];
  if (config.remote_url === '') throw loginNotPossible(name, 'its server is run here, and not remote');
  const secrets = await secretsOf(name, context, signal);
  const wanted = { ...config, remote_auth_config: { ...config.remote_auth_config, enabled: true } };
  const request = { config: wanted, secrets, isAsked: true, lacking };
  const loggedIn = await logIn(request, context, observer, signal);
  if (loggedIn === undefined)
    throw loginNotPossible(name, 'its server asks for none, or a header proves who asks');
  // A renewal that has begun with the earlier login stores what it gets before this, and never after.
  await withLock(loginLockOf(name, context.directories), () => keepLogin(name, loggedIn, context, signal), {
    timeoutMs: LOCK_MS,
    signal,
  });
  const description = describeLogin(loggedIn.config);
  if (description === undefined) throw new TypeError('a login that has just been made is not there');
  return description;
}

const LOCK_MS = 60_000;

async function keepLogin(
  name: string,
  { config, secrets }: LoggedIn,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<void> {
  await storeSecrets(secrets, context, { scope: 'workloads', signal });
  await context.store.replaceConfig(config);
  const kept = secretNamesIn(config);
  const names = LOGIN_SECRETS.map((secret) => nameOfLoginSecret(secret, name));
  const dropped = names.filter((secret) => !kept.includes(secret));
  await deleteOwnSecrets(dropped, 'workloads', context, signal);
  await touchLoginMarker(loginMarkerOf(name, context.directories), context.clock());
}

/**
 * Takes back what a login has left: tokens at the server and in the store.
 * Throws ERR_WORKLOAD_UNKNOWN, and ERR_LOGIN_NOT_POSSIBLE where nobody is logged in.
 */
export async function logOut(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<{ readonly issuer: string; readonly revoked: boolean; readonly notes: readonly string[] }> {
  await configOf(name, context);
  const lock = loginLockOf(name, context.directories);
  return await withLock(lock, () => logOutAlone(name, context, signal), { timeoutMs: LOCK_MS, signal });
}

async function logOutAlone(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal,
): ReturnType<typeof logOut> {
  const config = await configOf(name, context);
  const { login } = remoteAuthOf(config);
  if (login === undefined) throw loginNotPossible(name, 'nobody is logged in');
  const revoked = await takeBack(config, context, { unregisters: false }, signal);
  const tokens = LOGIN_TOKENS.map((secret) => nameOfLoginSecret(secret, name));
  await deleteOwnSecrets(tokens, 'workloads', context, signal);
  await context.store.replaceConfig({
    ...config,
    remote_auth_config: withLogin(config.remote_auth_config, {
      ...login,
      accessToken: undefined,
      refreshToken: undefined,
      expiresAt: undefined,
    }),
  });
  await touchLoginMarker(loginMarkerOf(name, context.directories), context.clock());
  const notes = revoked ? [] : [`${login.issuer} takes no tokens back: the last one is good until it ends.`];
  return { issuer: login.issuer, revoked, notes };
}

/**
 * Takes tokens back at the server (RFC 7009), and with `unregisters` the client
 * that was registered too (RFC 7592); whether the tokens were taken back. Never
 * rejects but with the reason of the signal.
 */
export async function takeBack(
  config: RunConfig,
  context: WorkloadContext,
  { unregisters }: { readonly unregisters: boolean },
  signal: AbortSignal,
): Promise<boolean> {
  const auth = remoteAuthOf(config);
  const { login } = auth;
  if (login === undefined) return false;
  const { openFetch, environment } = context;
  const web = await OauthWeb.open({
    named: [config.remote_url, auth.issuer, auth.authorizeUrl, auth.tokenUrl],
    openFetch,
    environment,
  });
  try {
    const secrets = await secretsOf(config.name, context, signal);
    const server = await serverAt(login.issuer, auth, web, signal);
    const registered = registeredBefore(login, server.issuer, secrets);
    const client = registered ?? { clientId: login.clientId, clientSecret: undefined };
    const token = LOGIN_TOKENS.map((secret) => secrets[nameOfLoginSecret(secret, config.name)]).find(
      (value) => value !== undefined,
    );
    const revoked =
      token !== undefined && (await revokeToken(await configurationOf(server, client, web), token));
    if (unregisters && registered !== undefined) await unregisterClient(registered, web, signal);
    return revoked;
  } catch (error) {
    signal.throwIfAborted();
    if (!isPortolanError(error)) context.logger.debug({ err: error }, 'a login could not be taken back');
    return false;
  } finally {
    await web.close();
  }
}

async function configOf(name: string, { store }: WorkloadContext): Promise<RunConfig> {
  const stored = await store.find(name);
  if (stored === undefined) throw workloadUnknown(name);
  return (await store.getConfig(name)).config;
}

/** What earlier logins have stored, by name. */
async function secretsOf(
  workload: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const names = LOGIN_SECRETS.map((secret) => nameOfLoginSecret(secret, workload));
  const values = await Promise.all(names.map((name) => findOwnSecret(name, 'workloads', context, signal)));
  return Object.fromEntries(
    names.flatMap((name, at) => {
      const value = values[at];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
