import { listProbings } from '@portolan/mcp-protocol';
import {
  discoveryRefused,
  findLogin,
  findProtectedResource,
  type FoundLogin,
  loginTimedOut,
  OauthWeb,
  OWN_PARAMETERS,
  probeRemote,
  type RemoteProbe,
} from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import { remoteTarget } from '../secrets/remote-target.ts';
import { type RemoteAuth, remoteAuthOf, type RunConfig, type StoredLogin } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { findEarlierSecrets, hasRefreshToken, issuerOf } from './earlier-login.ts';
import { goOn } from './go-on.ts';
import { type LoggedIn, loggedIn } from './logged-in.ts';
import { logInAs } from './login-flow.ts';
import type { Person } from './person.ts';
import { findClientSecret, provesOtherwise, type SecretsByName } from './remote-secrets.ts';
import { checkLoginStore } from './stored-login.ts';

/** Told what a login does; nothing that it is told is secret. */
export interface LoginObserver {
  step(step: 'login', text: string): void;
  note(text: string): void;
  warn(text: string): void;
  /** Left out: nobody is asked. */
  readonly person?: Person;
}

export interface LoginRequest {
  readonly config: RunConfig;
  /** Stored secrets that the run config names, by name. */
  readonly secrets: SecretsByName;
  /** Whether somebody has asked for it by name: what the remote does not ask for is told then. */
  readonly isAsked: boolean;
  /** Scopes that requests have lacked: asked for beside what was had before. */
  readonly lacking?: readonly string[];
}

/**
 * Logs somebody in to the remote server of a workload where that is asked for:
 * by its settings, or by the server where somebody sits at the terminal.
 * Undefined where there is nothing to log in to. Throws ERR_LOGIN_*, and
 * ERR_LOGIN_TIMEOUT where the whole of it takes longer than its limit.
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

/** The longest that a timer of Node.js waits. */
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
    throw discoveryRefused(`oauth_params names ${reserved}, which the login itself says`);
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
    if (isWanted) observer.step('login', `Looking for how to log in to ${remote.host}`);
    const probe = await probeAs(remoteTarget(config, secrets), config, isWanted, context, web, signal);
    if (probe.wants === 'nothing' && !(isWanted && (await isAnnounced(remote, auth, web, signal)))) {
      if (isWanted) observer.note(`${remote.host} asks for no login.`);
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
      observer.warn(
        `${found.server.issuer} gives no refresh token: when the token ends, somebody has to log in again.`,
      );
    }
    return loggedIn(config, found, { provided, isDocument, tokens });
  } finally {
    await web.close();
  }
}

/**
 * The secret of a client that the user has registered goes to the authorization server of
 * the first login alone, unless the user names one: a remote may name another later.
 */
function requireSameIssuer(
  remote: URL,
  { clientId, issuer, authorizeUrl, login }: RemoteAuth,
  ownSecret: string | undefined,
  found: string,
): void {
  if (ownSecret === undefined || issuer !== undefined || authorizeUrl !== undefined) return;
  if (login === undefined || login.clientId !== clientId || login.issuer === undefined) return;
  if (login.issuer === found) return;
  throw discoveryRefused(
    `${remote.host} names ${found} now, and the client ${clientId} has a secret for ${login.issuer}; --remote-auth-issuer says which of them is right`,
  );
}

/** Whether a login is known of though a greeting needs none: calls may. */
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
 * What was had before at the same issuer is not lost by asking for more; whether it is more than the client may be registered for.
 */
function withEarlier(
  { server, scopes }: FoundLogin,
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

/** Where nobody has asked for a login, a remote that cannot be reached is told by what comes after. */
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
