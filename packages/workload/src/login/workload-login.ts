import type { KeptLogin, WorkloadLogin } from '@portolan/plugin-api';
import {
  findSecretReference,
  type RemoteAuth,
  remoteAuthOf,
  type RunConfig,
  type StoredLogin,
} from '@portolan/run-spec';
import { findLoginSecret, storeSecrets } from '../secrets/store-secrets.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { loginMarkerOf, withLoginLock } from './login-marker.ts';
import { findClientSecret, type SecretsByName } from './remote-secrets.ts';
import { nameOfLoginSecret } from './stored-login.ts';
import { watchLogins } from './watch-logins.ts';

export type LoginContext = Pick<
  WorkloadContext,
  'store' | 'directories' | 'environment' | 'user' | 'kinds' | 'logger'
>;

/** The access token that a login in another process has brought. */
export interface HandedLogin {
  readonly accessToken: string;
  /** RFC 3339; undefined where nobody knows. */
  readonly expiresAt: string | undefined;
}

export interface LoginWork {
  readonly config: RunConfig;
  /** Handed over at the start, by name. */
  readonly secrets: SecretsByName;
  readonly handed: HandedLogin | undefined;
  readonly lacks: WorkloadLogin['lacks'];
  readonly stepUp: WorkloadLogin['stepUp'];
}

/** The login of a workload, with what ends the watch over it. */
export interface WatchedLogin extends WorkloadLogin {
  close(): void;
}

/** What a login has left of a remote workload, for whatever proves who asks. */
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
    keep: async (refreshToken, signal) => {
      const now = remoteAuthOf((await store.getConfig(name)).config).login?.refreshToken;
      const kept = secretNameIn(now) ?? nameOfLoginSecret('OAUTH_REFRESH_TOKEN', name);
      await storeSecrets([{ name: kept, value: refreshToken }], context, { scope: 'workloads', signal });
    },
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

/** As it stands in the store; that may be newer than what the supervisor was handed. */
async function readLogin(
  config: RunConfig,
  handed: SecretsByName,
  context: LoginContext,
  signal: AbortSignal,
): Promise<KeptLogin | undefined> {
  const auth = remoteAuthOf(config);
  const { login } = auth;
  if (login?.issuer === undefined) return undefined;
  const { issuer, resource, scopes, subject, expiresAt } = login;
  const { refreshToken, accessToken } = login;
  return {
    issuer,
    named: { issuer: auth.issuer, authorizeUrl: auth.authorizeUrl, tokenUrl: auth.tokenUrl },
    resource,
    scopes,
    subject,
    client: await clientOf(auth, login, handed, context, signal),
    refreshToken: await findReferred(refreshToken, context, signal),
    accessToken: refreshToken === undefined ? await findReferred(accessToken, context, signal) : undefined,
    expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
  };
}

/** The one that was registered for the login, else the user's own. */
async function clientOf(
  auth: RemoteAuth,
  { clientId, clientSecret: reference, usesDocument, authMethod }: StoredLogin,
  handed: SecretsByName,
  context: LoginContext,
  signal: AbortSignal,
): Promise<KeptLogin['client']> {
  if (!usesDocument && auth.clientId !== clientId) {
    const clientSecret = await findReferred(reference, context, signal);
    if (reference === undefined || clientSecret !== undefined) return { clientId, clientSecret, authMethod };
  }
  return { clientId, clientSecret: await findClientSecret(auth, handed, context.environment) };
}

async function findReferred(
  reference: string | undefined,
  context: LoginContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  const name = secretNameIn(reference);
  return name === undefined ? undefined : await findLoginSecret(name, context, signal);
}

function secretNameIn(reference: string | undefined): string | undefined {
  return reference === undefined ? undefined : findSecretReference(reference)?.name;
}
