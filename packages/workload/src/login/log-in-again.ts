import { configurationOf, OauthWeb, revokeToken, serverAt, unregisterClient } from '@portolan/oauth-client';
import {
  namedCredentials,
  remoteAuthOf,
  type RunConfig,
  secretNamesIn,
  textOf,
  withLogin,
} from '@portolan/run-spec';
import { findSecretUsers } from '../secrets/find-secret-users.ts';
import { storedOwner } from '../secrets/secret-owner.ts';
import { deleteOwnSecrets, findLoginSecret, storeSecrets } from '../secrets/store-secrets.ts';
import { findMemberName, workloadOf } from '../state/member-name.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { describeLogin, type LoginDescription } from './describe-login.ts';
import { clientOf } from './restore-login.ts';
import { logIn, type LoginObserver } from './log-in.ts';
import { type LoggedIn, withLoginIn } from './logged-in.ts';
import { registeredBefore } from './login-client.ts';
import { loginNotPossible } from './login-errors.ts';
import { findClientSecret, type SecretsByName } from './remote-secrets.ts';
import { loginMarkerOf, touchLoginMarker, withLoginLock } from './login-marker.ts';
import { LOGIN_SECRETS, nameOfLoginSecret, secretNamesOf, tokenNamesOf } from './stored-login.ts';
import { noteOnTokens, type TakenBack } from './taken-back.ts';

/**
 * Logs the user in to the remote server of a workload, even when a login exists. Requests the scopes of the
 * earlier login, the scopes that requests lacked, and those in `more`. A running workload uses the new login
 * within seconds. Throws ERR_WORKLOAD_UNKNOWN, ERR_LOGIN_NOT_POSSIBLE and ERR_LOGIN_*.
 */
export async function logInAgain(
  name: string,
  context: WorkloadContext,
  observer: LoginObserver,
  signal: AbortSignal,
  more: readonly string[] = [],
): Promise<LoginDescription> {
  const config = await configOf(name, context);
  const lacking = [...(await findMissingScopes(name, context)), ...more];
  if (config.remote_url === '') throw loginNotPossible(name, 'its server is not remote');
  const kind = namedCredentials(config)?.type;
  if (kind !== undefined) throw loginNotPossible(name, `it authenticates with ${kind} (remote_credentials)`);
  const { bearerToken, bearerTokenFile } = remoteAuthOf(config);
  if (bearerToken !== undefined || bearerTokenFile !== undefined)
    throw loginNotPossible(name, 'it has a token of its own (--remote-auth-bearer-token)');
  const secrets = await secretsOf(config, context, signal);
  const requested = { ...config, remote_auth_config: { ...config.remote_auth_config, enabled: true } };
  const request = { config: requested, secrets, isAsked: true, lacking };
  const loggedIn = await logIn(request, context, observer, signal);
  if (loggedIn === undefined)
    throw loginNotPossible(name, 'its server requires no login, or the workload authenticates with a header');
  // The lock ensures that a concurrent renewal of the earlier login cannot overwrite the new login.
  const keep = async (): Promise<RunConfig> => await keepLogin(name, loggedIn, context, signal);
  try {
    const description = describeLogin(await withLoginLock(name, context.directories, keep, signal));
    if (description === undefined) throw new TypeError('the login that was just stored does not exist');
    return description;
  } catch (error) {
    await forgetLogin(loggedIn, config, context);
    throw error;
  }
}

/** Stores the login in the current run config, whose other settings may have changed during the login. */
async function keepLogin(
  name: string,
  { config: loggedIn, secrets }: LoggedIn,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<RunConfig> {
  const now = await configOf(name, context);
  const { login } = remoteAuthOf(loggedIn);
  if (now.remote_url !== loggedIn.remote_url || login === undefined)
    throw loginNotPossible(name, 'another server has replaced it in the meantime');
  const config = withLoginIn(now, login);
  const before = Object.entries(await secretsOf(now, context, signal));
  await storeSecrets(secrets, context, { scope: 'workloads', signal });
  try {
    await context.store.replaceConfig(config);
  } catch (error) {
    // Restore the earlier tokens: the run config is unchanged, and they belong to the client that it names.
    const values = before.map(([secret, value]) => ({ name: secret, value }));
    await storeSecrets(values, context, { scope: 'workloads', signal });
    throw error;
  }
  const remaining = secretNamesIn(config);
  const dropped = loginSecretsOf(now).filter((secret) => !remaining.includes(secret));
  await dropUnused(dropped, context, signal);
  await touchLoginMarker(loginMarkerOf(name, context.directories), context.clock());
  return config;
}

/** Revokes the tokens of a login that could not be stored, and removes its client. */
async function forgetLogin(
  { config, secrets }: LoggedIn,
  before: RunConfig,
  context: WorkloadContext,
): Promise<void> {
  const storedSecrets = Object.fromEntries(secrets.map(({ name, value }) => [name, value]));
  const unregisters = remoteAuthOf(config).login?.clientId !== remoteAuthOf(before).login?.clientId;
  await takeBack(
    config,
    context,
    { unregisters, held: storedSecrets },
    AbortSignal.timeout(TAKE_BACK_MS),
  ).catch(() => false);
}

const TAKE_BACK_MS = 15_000;

/**
 * Revokes the tokens of a login, and deletes them from the store. Throws ERR_WORKLOAD_UNKNOWN,
 * ERR_LOGIN_NOT_POSSIBLE without a login, and the errors of an unreadable store; then nothing changes.
 */
export async function logOut(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<{ readonly issuer: string; readonly revoked: boolean; readonly notes: readonly string[] }> {
  await configOf(name, context);
  return await withLoginLock(name, context.directories, () => logOutAlone(name, context, signal), signal);
}

async function logOutAlone(
  name: string,
  context: WorkloadContext,
  signal: AbortSignal,
): ReturnType<typeof logOut> {
  const config = await configOf(name, context);
  const { login } = remoteAuthOf(config);
  if (login?.issuer === undefined) throw loginNotPossible(name, 'there is no login');
  const taken = await takeBack(config, context, { unregisters: false }, signal);
  // If the stored tokens cannot be read, keep the run config, because only its references lead to the tokens.
  if (taken.tokens.is === 'unread') throw taken.tokens.error;
  await context.store.replaceConfig({
    ...config,
    remote_auth_config: withLogin(config.remote_auth_config, {
      ...login,
      accessToken: undefined,
      refreshToken: undefined,
      expiresAt: undefined,
    }),
  });
  await dropUnused(tokenNamesOf(login), context, signal);
  await touchLoginMarker(loginMarkerOf(name, context.directories), context.clock());
  const revoked = taken.tokens.is === 'done';
  return { issuer: login.issuer, revoked, notes: noteOnTokens(login.issuer, taken.tokens) };
}

/**
 * Revokes the tokens of a workload's login at the server (RFC 7009). With `unregisters`, also removes the
 * registered client (RFC 7592). `held` contains the tokens; by default, they are read from the secret store.
 * Rejects only with the reason of the signal.
 */
export async function takeBack(
  config: RunConfig,
  context: WorkloadContext,
  { unregisters, held }: { readonly unregisters: boolean; readonly held?: SecretsByName },
  signal: AbortSignal,
): Promise<TakenBack> {
  const auth = remoteAuthOf(config);
  const { login } = auth;
  if (login?.issuer === undefined) return { tokens: { is: 'none' }, leavesClient: false };
  const hasClient = unregisters && login.registrationUri !== undefined;
  const { openFetch, environment } = context;
  const web = await OauthWeb.open({
    named: [config.remote_url, auth.issuer, auth.authorizeUrl, auth.tokenUrl],
    openFetch,
    environment,
  });
  try {
    let secrets: SecretsByName;
    try {
      secrets = held ?? (await secretsOf(config, context, signal));
    } catch (error) {
      signal.throwIfAborted();
      const tokens: TakenBack['tokens'] =
        tokenNamesOf(login).length === 0 ? { is: 'none' } : { is: 'unread', error };
      return { tokens, leavesClient: hasClient };
    }
    const server = await serverAt(login.issuer, auth, web, signal);
    const registered = registeredBefore(login, server.issuer, secrets);
    const isOwn = auth.clientId === login.clientId;
    const ownSecret = isOwn ? await findClientSecret(auth, secrets, environment) : undefined;
    const known = clientOf(login, auth, ownSecret, secrets);
    const client = known ?? { clientId: login.clientId, clientSecret: undefined };
    const token = tokenNamesOf(login)
      .map((secret) => secrets[secret])
      .find((value) => value !== undefined);
    const tokens: TakenBack['tokens'] =
      token === undefined
        ? { is: 'none' }
        : await revokeToken(await configurationOf(server, client, web), token);
    const isGone = hasClient && registered !== undefined && (await unregisterClient(registered, web, signal));
    return { tokens, leavesClient: hasClient && !isGone };
  } catch (error) {
    signal.throwIfAborted();
    return { tokens: { is: 'unreachable', why: textOf(error) }, leavesClient: hasClient };
  } finally {
    await web.close();
  }
}

/** Returns the run config of a workload, or of a member, `WORKLOAD/MEMBER`. */
async function configOf(name: string, { store }: WorkloadContext): Promise<RunConfig> {
  const workload = workloadOf(name);
  const stored = await store.find(workload);
  if (stored === undefined) throw await store.unknown(workload);
  return (await store.getConfig(name)).config;
}

async function findMissingScopes(name: string, { store }: WorkloadContext): Promise<readonly string[]> {
  const state = (await store.find(workloadOf(name)))?.state;
  const member = findMemberName(name)?.member;
  return (member === undefined ? state : state?.members[member]?.server)?.missingScopes ?? [];
}

async function secretsOf(
  config: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<SecretsByName> {
  const names = loginSecretsOf(config);
  const owner = storedOwner(config, context.store);
  const values = await Promise.all(names.map((name) => findLoginSecret(name, context, owner, signal)));
  return Object.fromEntries(
    names.flatMap((name, at) => {
      const value = values[at];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

function loginSecretsOf(config: RunConfig): readonly string[] {
  const own = LOGIN_SECRETS.map((secret) => nameOfLoginSecret(secret, config.name));
  return [...new Set([...own, ...secretNamesOf(remoteAuthOf(config).login)])];
}

async function dropUnused(
  names: readonly string[],
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<void> {
  const users = await Promise.all(names.map((name) => findSecretUsers(name, context.store)));
  const unused = names.filter((_, at) => users[at]?.length === 0);
  await deleteOwnSecrets(unused, 'workloads', context, signal);
}
