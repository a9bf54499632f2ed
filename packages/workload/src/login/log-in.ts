import {
  findLogin,
  type FoundLogin,
  offersDeviceFlow,
  OauthWeb,
  probeRemote,
  type RemoteProbe,
  type TokenSet,
} from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import { listProbings } from '@portolan/proxy';
import { remoteAuthOf, type RunConfig, type StoredLogin, withLogin } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { forgetClient, type LoginClient, provideClient, registeredBefore } from './login-client.ts';
import type { Person } from './person.ts';
import { findClientSecret, forwardsAuthorization, type SecretsByName } from './remote-secrets.ts';
import { checkLoginStore, referenceTo, secretsOfLogin } from './stored-login.ts';
import { walkLogin } from './walk-login.ts';

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
}

/**
 * Logs somebody in to the remote server of a workload where that is asked for:
 * by its settings, or by the server where somebody sits at the terminal.
 * Undefined where there is nothing to log in to. Throws ERR_LOGIN_*.
 */
export async function logIn(
  { config, secrets, isAsked }: LoginRequest,
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
    if (probe.wants === 'nothing') {
      if (isWanted) observer.note(`${remote.host} asks for no login.`);
      return undefined;
    }
    await checkLoginStore(config.name, 'workloads', context, signal);
    observer.step('login', `Logging in to ${remote.host}`);
    const named = { ...auth, scopes: auth.scopes };
    const found = await findLogin(remote, named, probe.challenge, web, signal);
    const ownSecret = await findClientSecret(auth, secrets, context.environment);
    const usesDevice = !person.hasBrowser && !auth.skipsBrowser && offersDeviceFlow(found.server);
    const { clientId, callbackPort, login } = auth;
    const choice = {
      own: clientId === undefined ? undefined : { clientId, clientSecret: ownSecret },
      earlier: registeredBefore(login, found.server.issuer, secrets),
      earlierPort: login?.callbackPort,
      callbackPort,
    };
    const place = { ...found, usesDevice };
    const provided = await provideClient(choice, place, web, signal);
    try {
      const { name: forWhat } = config;
      const { clock } = context;
      const tokens = await walkLogin({ ...auth, place, provided, person, forWhat, web, clock }, signal);
      if (tokens.refreshToken === undefined) {
        observer.warn(
          `${found.server.issuer} gives no refresh token: when the token ends, somebody has to log in again.`,
        );
      }
      return resultOf(config, found, provided, tokens);
    } catch (error) {
      await forgetClient(provided, web);
      throw error;
    } finally {
      await provided.listener.close();
    }
  } finally {
    await web.close();
  }
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

function resultOf(config: RunConfig, found: FoundLogin, provided: LoginClient, tokens: TokenSet): LoggedIn {
  const { name } = config;
  const { registered, client, listener } = provided;
  const login: StoredLogin = {
    issuer: found.server.issuer,
    resource: found.resource,
    scopes: tokens.scopes ?? found.scopes,
    subject: tokens.subject,
    clientId: client.clientId,
    clientSecret:
      registered?.clientSecret === undefined ? undefined : referenceTo('OAUTH_CLIENT_SECRET', name),
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
