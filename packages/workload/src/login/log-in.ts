import {
  findLogin,
  findProtectedResource,
  type FoundLogin,
  OauthWeb,
  probeRemote,
  type RemoteProbe,
  type TokenSet,
} from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import { listProbings } from '@portolan/proxy';
import {
  type RemoteAuth,
  remoteAuthOf,
  type RunConfig,
  type StoredLogin,
  withLogin,
} from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { logInAs, type LoginDone } from './login-flow.ts';
import type { Person } from './person.ts';
import { findClientSecret, forwardsAuthorization, type SecretsByName } from './remote-secrets.ts';
import { checkLoginStore, referenceTo, secretsOfLogin } from './stored-login.ts';

/** What a login has brought. */
export interface LoggedIn {
  /** With references to what is to be stored. */
  readonly config: RunConfig;
  readonly secrets: readonly { readonly name: string; readonly value: string }[];
  readonly tokens: TokenSet;
}

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
 * Undefined where there is nothing to log in to. Throws ERR_LOGIN_*.
 */
export async function logIn(
  { config, secrets, isAsked, lacking = [] }: LoginRequest,
  context: WorkloadContext,
  observer: LoginObserver,
  signal: AbortSignal,
): Promise<LoggedIn | undefined> {
  const auth = remoteAuthOf(config);
  const isWanted = isAsked || auth.isWanted === true;
  const { person } = observer;
  if (config.remote_url === '' || forwardsAuthorization(config) || auth.isWanted === false) return undefined;
  if (person === undefined || (!isWanted && !person.isThere)) return undefined;
  const remote = new URL(config.remote_url);
  const web = await OauthWeb.open({
    named: [remote.href, auth.issuer, auth.authorizeUrl, auth.tokenUrl],
    openFetch: context.openFetch,
    environment: context.environment,
  });
  try {
    if (isWanted) observer.step('login', `Looking for how to log in to ${remote.host}`);
    const probe = await probeAs(remote, config, isWanted, context, web, signal);
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
    const work = { config, auth, ownSecret, secrets, found, person, web, context };
    const { provided, isDocument, tokens } = await logInAs(work, signal);
    if (tokens.refreshToken === undefined) {
      observer.warn(
        `${found.server.issuer} gives no refresh token: when the token ends, somebody has to log in again.`,
      );
    }
    return resultOf(config, found, { provided, isDocument, tokens });
  } finally {
    await web.close();
  }
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
 * What was had before at the same issuer is not lost by asking for more (spec
 * mcp-protocol-eras.md 5.1); whether it is more than the client may be registered for.
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

function resultOf(
  config: RunConfig,
  found: FoundLogin,
  { provided, isDocument, tokens }: LoginDone,
): LoggedIn {
  const { name } = config;
  const { registered, client, listener } = provided;
  const login: StoredLogin = {
    issuer: found.server.issuer,
    resource: found.resource,
    scopes: tokens.scopes ?? found.scopes,
    subject: tokens.subject,
    clientId: client.clientId,
    usesDocument: isDocument,
    clientSecret:
      registered?.clientSecret === undefined ? undefined : referenceTo('OAUTH_CLIENT_SECRET', name),
    accessToken: tokens.refreshToken === undefined ? referenceTo('OAUTH_ACCESS_TOKEN', name) : undefined,
    refreshToken: tokens.refreshToken === undefined ? undefined : referenceTo('OAUTH_REFRESH_TOKEN', name),
    registrationToken:
      registered?.management === undefined ? undefined : referenceTo('OAUTH_REG_TOKEN', name),
    registrationUri: registered?.management?.url,
    secretExpiresAt: registered?.secretExpiresAt?.toISOString(),
    authMethod: registered?.authMethod,
    callbackPort: registered === undefined ? undefined : Number(new URL(listener.redirectUri).port),
    expiresAt: tokens.expiresAt?.toISOString(),
  };
  return {
    config: {
      ...config,
      remote_auth_config: { ...withLogin(config.remote_auth_config, login), enabled: true },
    },
    secrets: secretsOfLogin(name, tokens, registered),
    tokens,
  };
}
