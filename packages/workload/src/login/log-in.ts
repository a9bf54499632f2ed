import {
  beginCodeFlow,
  beginDeviceFlow,
  configurationOf,
  findLogin,
  type FoundLogin,
  loginTimedOut,
  offersDeviceFlow,
  OauthWeb,
  probeRemote,
  type RemoteProbe,
  type TokenSet,
  unregisterClient,
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
import { type LoginClient, provideClient } from './login-client.ts';
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
    await checkLoginStore(config.name, context, signal);
    observer.step('login', `Logging in to ${remote.host}`);
    const named = { ...auth, scopes: auth.scopes };
    const found = await findLogin(remote, named, probe.challenge, web, signal);
    const ownSecret = await findClientSecret(auth, secrets, context.environment);
    const usesDevice = !person.hasBrowser && !auth.skipsBrowser && offersDeviceFlow(found.server);
    const provided = await provideClient(auth, ownSecret, { ...found, usesDevice }, secrets, web, signal);
    try {
      const tokens = await flow({ config, auth, found, usesDevice, provided, person, web, context }, signal);
      if (tokens.refreshToken === undefined) {
        observer.warn(
          `${found.server.issuer} gives no refresh token: when the token ends, somebody has to log in again.`,
        );
      }
      return resultOf(config, found, provided, tokens);
    } catch (error) {
      await forget(provided, web);
      throw error;
    } finally {
      await provided.listener.close();
    }
  } finally {
    await web.close();
  }
}

/** A client that was registered for a login that came to nothing is taken back, as far as that goes. */
async function forget({ isNew, registered }: LoginClient, web: OauthWeb): Promise<void> {
  if (!isNew || registered === undefined) return;
  await unregisterClient(registered, web, AbortSignal.timeout(FORGET_MS)).catch(() => false);
}

const FORGET_MS = 5000;

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

interface Flow {
  readonly config: RunConfig;
  readonly auth: RemoteAuth;
  readonly found: FoundLogin;
  readonly usesDevice: boolean;
  readonly provided: LoginClient;
  readonly person: Person;
  readonly web: OauthWeb;
  readonly context: Pick<WorkloadContext, 'clock'>;
}

async function flow(work: Flow, signal: AbortSignal): Promise<TokenSet> {
  const { auth, found, provided, person, web } = work;
  const configuration = await configurationOf(found.server, provided.client, web);
  const { scopes, resource } = found;
  if (work.usesDevice) {
    const device = await beginDeviceFlow(configuration, { scopes, resource });
    const { wholeUrl, url, code } = device;
    await person.showLogin({ url: wholeUrl ?? url, code, opens: false, forWhat: work.config.name });
    // As long as the code lives, unless a limit was given.
    if (auth.timeoutMs === undefined || auth.timeoutMs === 0) {
      return await device.finish(work.context.clock, signal);
    }
    const over = new AbortController();
    const ends = AbortSignal.any([signal, over.signal]);
    try {
      return await inTime(device.finish(work.context.clock, ends), auth.timeoutMs, person, signal);
    } finally {
      over.abort();
    }
  }
  const { redirectUri } = provided.listener;
  const begun = await beginCodeFlow(configuration, {
    redirectUri,
    scopes,
    scopeParamName: auth.scopeParamName,
    resource,
    extra: auth.extra,
  });
  const opens = person.hasBrowser && !auth.skipsBrowser;
  await person.showLogin({ url: begun.url.href, code: undefined, opens, forWhat: work.config.name });
  const redirect = await inTime(provided.listener.redirect, auth.timeoutMs, person, signal);
  try {
    const tokens = await begun.finish(redirect.url, work.context.clock);
    redirect.show({ went: 'well', workload: work.config.name, issuer: found.server.issuer });
    return tokens;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'Something went wrong.';
    redirect.show({ went: 'wrong', workload: work.config.name, why });
    throw error;
  }
}

const USUAL_MS = 30_000;
const MORE_MS = 300_000;

/** Waits as long as was said; where nothing was, 30 s, and five minutes more whenever somebody asks for them. */
async function inTime<Value>(
  promise: Promise<Value>,
  timeoutMs: number | undefined,
  person: Person,
  signal: AbortSignal,
): Promise<Value> {
  let limitMs = timeoutMs === undefined ? USUAL_MS : timeoutMs === 0 ? MORE_MS : timeoutMs;
  const began = performance.now();
  const over = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    clearTimeout(timer);
    const left = Math.max(began + limitMs - performance.now(), 0);
    timer = setTimeout(() => over.reject(loginTimedOut(Math.round(limitMs / 1000))), left);
  };
  const aborted = (): void => over.reject(signal.reason);
  signal.addEventListener('abort', aborted, { once: true });
  if (signal.aborted) aborted();
  const quiet =
    timeoutMs === undefined
      ? person.onMoreTime(() => {
          limitMs += MORE_MS;
          wait();
        })
      : (): void => undefined;
  wait();
  try {
    return await Promise.race([promise, over.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', aborted);
    quiet();
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
