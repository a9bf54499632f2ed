import { listProbings } from '@portolan/mcp-protocol';
import {
  discoveryRefused,
  findLogin,
  findProtectedResource,
  type DiscoveredLogin,
  loginTimedOut,
  OauthWeb,
  OWN_PARAMETERS,
  probeRemote,
  type RemoteProbe,
  type TokenSet,
} from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import { remoteTarget } from '../secrets/remote-target.ts';
import { type RemoteAuth, remoteAuthOf, type RunConfig, type StoredLogin } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { findEarlierSecrets, hasRefreshToken, issuerOf, renewEarlier } from './restore-login.ts';
import { type LoggedIn, loggedIn, withLoginIn } from './logged-in.ts';
import { logInAs, type LoginWork } from './login-flow.ts';
import type { Person } from './person.ts';
import { findClientSecret, provesOtherwise, type SecretsByName } from './remote-secrets.ts';
import { checkLoginStore, tokenNamesOf } from './stored-login.ts';
import { storeSecrets } from '../secrets/store-secrets.ts';
import { type EarlierLogin, withClientInTime } from './client-in-time.ts';
import { withLoginLock } from './login-marker.ts';

/** Receives the progress of a login. No argument contains a secret. */
export interface LoginObserver {
  step(step: 'login', text: string): void;
  note(text: string): void;
  warn(text: string): void;
  /** User at the terminal; absent when no user can log in interactively. */
  readonly person?: Person;
}

export interface LoginRequest {
  readonly config: RunConfig;
  readonly secrets: SecretsByName;
  /** Whether the user requested this login. If so, a skipped login is reported with the reason. */
  readonly isAsked: boolean;
  /** OAuth scopes that earlier requests to the remote server lacked. The login requests these too. */
  readonly lacking?: readonly string[];
}

/**
 * Logs in to the remote server of a workload if the settings demand a login, or if the server demands it and
 * a user is at the terminal. Returns undefined when no login is needed. Throws ERR_LOGIN_*, such as
 * ERR_LOGIN_TIMEOUT when the whole login exceeds the configured limit.
 */
export async function logIn(
  request: LoginRequest,
  context: WorkloadContext,
  observer: LoginObserver,
  signal: AbortSignal,
): Promise<LoggedIn | undefined> {
  const { timeoutMs = 0 } = remoteAuthOf(request.config);
  if (timeoutMs === 0) return await logInNow(request, context, observer, signal);
  const late = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), MAX_TIMER_MS));
  try {
    return await logInNow(request, context, observer, AbortSignal.any([signal, late]));
  } catch (error) {
    signal.throwIfAborted();
    if (late.aborted) throw loginTimedOut(Math.round(timeoutMs / 1000));
    throw error;
  }
}

const MAX_TIMER_MS = 2 ** 31 - 1;

async function logInNow(
  { config, secrets, isAsked, lacking = [] }: LoginRequest,
  context: WorkloadContext,
  observer: LoginObserver,
  signal: AbortSignal,
): Promise<LoggedIn | undefined> {
  const auth = remoteAuthOf(config);
  const [reserved] = Object.keys(auth.extra).filter((name) => OWN_PARAMETERS.includes(name));
  if (reserved !== undefined)
    throw discoveryRefused(
      `found ${reserved} in oauth_params; expected only parameters that the login does not set itself`,
    );
  const isWanted = isAsked || auth.isWanted === true;
  const { person } = observer;
  const canAsk = person !== undefined && (isWanted || person.isThere);
  if (config.remote_url === '' || provesOtherwise(config) || auth.isWanted === false) return undefined;
  const earlier = isAsked
    ? secrets
    : { ...secrets, ...(await findEarlierSecrets(config, auth.login, context, signal)) };
  const tries = !isAsked && hasRefreshToken(auth.login, earlier);
  if (!canAsk && !tries) return undefined;
  const remote = new URL(config.remote_url);
  const { openFetch, environment } = context;
  const named = [remote.href, auth.issuer, auth.authorizeUrl, auth.tokenUrl];
  const web = await OauthWeb.open({ named, openFetch, environment });
  try {
    if (isWanted) observer.step('login', `Finding the login of ${remote.host}`);
    const probe = await probeAs(remoteTarget(config, secrets), config, isWanted, context, web, signal);
    if (probe.wants === 'nothing' && !(isWanted && (await isAnnounced(remote, auth, web, signal)))) {
      if (isWanted) observer.note(`${remote.host} requires no login.`);
      return undefined;
    }
    await checkLoginStore(config.name, 'workloads', context, signal);
    observer.step('login', `Logging in to ${remote.host}`);
    const challenge = probe.wants === 'token' ? probe.challenge : new Map<string, string>();
    const place = await findLogin(remote, auth, challenge, web, signal);
    const found = { ...place, ...withEarlier(place, auth.login, lacking) };
    const ownSecret = await findClientSecret(auth, secrets, context.environment);
    requireSameIssuer(remote, auth, ownSecret, found.server.issuer);
    const again = tries ? await goOn({ config, auth, found, ownSecret, web }, context, signal) : undefined;
    if (again !== undefined) return again;
    if (!canAsk) return undefined;
    const login = auth.login && { ...auth.login, issuer: issuerOf(auth.login, found) };
    const work = { config, auth: { ...auth, login }, ownSecret, secrets: earlier, found, person, web };
    const { provided, isDocument, tokens } = await logInAs({ ...work, context }, signal);
    if (tokens.refreshToken === undefined) {
      observer.warn(`${found.server.issuer} issues no refresh token: log in again when the token expires.`);
    }
    return loggedIn(config, found, { provided, isDocument, tokens });
  } finally {
    await web.close();
  }
}

/**
 * Throws when the remote server names another authorization server than at the first login, because the
 * secret of the user's client must not go to that server. Does nothing when the user sets the issuer.
 */
function requireSameIssuer(
  remote: URL,
  { clientId, issuer, authorizeUrl, login }: RemoteAuth,
  ownSecret: string | undefined,
  actual: string,
): void {
  if (ownSecret === undefined || issuer !== undefined || authorizeUrl !== undefined) return;
  if (login === undefined || login.clientId !== clientId || login.issuer === undefined) return;
  if (login.issuer === actual) return;
  throw discoveryRefused(
    `${remote.host} now names the issuer ${actual}, but the client ${clientId} has a secret for ${login.issuer}; choose one with --remote-auth-issuer`,
  );
}

/**
 * Returns whether the remote server's metadata announces a login. A server may accept `initialize` without a
 * login, but demand one for later calls.
 */
async function isAnnounced(
  remote: URL,
  { issuer, authorizeUrl }: RemoteAuth,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<boolean> {
  if (issuer !== undefined || authorizeUrl !== undefined) return true;
  return (await findProtectedResource(remote, undefined, web, signal)) !== undefined;
}

/**
 * Returns the scopes to request, including those of an earlier login at the same issuer. `needsMore` says
 * whether the request exceeds the scopes of the registered client.
 */
function withEarlier(
  { server, scopes }: DiscoveredLogin,
  earlier: StoredLogin | undefined,
  lacking: readonly string[],
): { readonly scopes: readonly string[] | undefined; readonly needsMore: boolean } {
  const had = earlier?.issuer === server.issuer ? (earlier.scopes ?? []) : [];
  const all = new Set([...(scopes ?? []), ...had, ...lacking]);
  return {
    scopes: all.size === 0 ? undefined : [...all],
    needsMore: lacking.some((scope) => !had.includes(scope)),
  };
}

/**
 * Probes whether the remote server demands a login. Ignores failures unless the user requested a login,
 * because later steps report them.
 */
async function probeAs(
  remote: URL,
  { transport }: RunConfig,
  isWanted: boolean,
  { version }: Pick<WorkloadContext, 'version'>,
  web: OauthWeb,
  signal: AbortSignal,
): Promise<RemoteProbe> {
  try {
    return await probeRemote(remote, listProbings(transport, version), web, signal);
  } catch (error) {
    if (isWanted || !isPortolanError(error)) throw error;
    return { wants: 'nothing' };
  }
}

/**
 * Renews an earlier login without the user; returns undefined when the renewal fails. Holds the login lock,
 * so that no other workload with this login renews it at the same time. Stores the new refresh token before
 * using the new access token.
 */
async function goOn(
  work: Pick<LoginWork, 'config' | 'auth' | 'found' | 'ownSecret' | 'web'>,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<LoggedIn | undefined> {
  const { config, auth, found, ownSecret, web } = work;
  const { name: workload } = config;
  const renew = async (): Promise<EarlierLogin & { readonly tokens: TokenSet | undefined }> => {
    const stored = await findEarlierSecrets(config, auth.login, context, signal);
    const before = { login: auth.login, secrets: stored };
    const inTime = await withClientInTime(before, found, { workload, context, web }, signal);
    const { login, secrets } = inTime;
    const tokens = await renewEarlier(login, auth, { login: found, secrets, ownSecret }, { ...context, web });
    const [name] = tokenNamesOf(login);
    const value = tokens?.refreshToken;
    if (name !== undefined && value !== undefined)
      await storeSecrets([{ name, value }], context, { scope: 'workloads' });
    return { ...inTime, tokens };
  };
  const { login: earlier, tokens } = await withLoginLock(workload, context.directories, renew, signal);
  if (earlier === undefined || tokens === undefined) return undefined;
  const login: StoredLogin = {
    ...earlier,
    issuer: found.server.issuer,
    resource: found.resource ?? '',
    scopes: tokens.scopes ?? earlier.scopes,
    subject: tokens.subject ?? earlier.subject,
    expiresAt: tokens.expiresAt?.toISOString(),
  };
  return { config: withLoginIn(config, login), secrets: [], tokens, isEarlier: true };
}
