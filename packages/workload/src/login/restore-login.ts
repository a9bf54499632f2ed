import {
  configurationOf,
  type DiscoveredLogin,
  type OauthClient,
  type OauthWeb,
  refreshTokens,
  type TokenSet,
} from '@portolan/oauth-client';
import { isPortolanError } from '@portolan/plugin-api';
import { findSecretReference, type RemoteAuth, type RunConfig, type StoredLogin } from '@portolan/run-spec';
import { findSecretUsers } from '../secrets/find-secret-users.ts';
import { ownerOf, type SecretOwner } from '../secrets/secret-owner.ts';
import { findLoginSecret } from '../secrets/store-secrets.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { workloadOf } from '../state/member-name.ts';
import { clientRegisteredBefore } from './login-client.ts';
import type { SecretsByName } from './remote-secrets.ts';
import { secretNamesOf } from './stored-login.ts';

/**
 * Returns the stored secrets of an earlier login, by name. Also finds secrets in the file of another tool.
 * Returns none when another workload uses the secrets, because authorization servers revoke a refresh token
 * that two clients use.
 */
export async function findEarlierSecrets(
  { name: workload }: Pick<RunConfig, 'name'>,
  login: StoredLogin | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<SecretsByName> {
  if (login === undefined) return {};
  const foundLogin: { [name: string]: string } = {};
  for (const name of secretNamesOf(login)) {
    const users = await findSecretUsers(name, context.store);
    if (users.some((user) => user !== workloadOf(workload))) return {};
    const value = await findIfStored(name, ownerOf(workload, [], context.store), context, signal);
    if (value !== undefined) foundLogin[name] = value;
  }
  return foundLogin;
}

/** Finds a secret; returns undefined when no secret store is set up, because nothing can be stored then. */
async function findIfStored(
  name: string,
  owner: SecretOwner,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    return await findLoginSecret(name, context, owner, signal);
  } catch (error) {
    if (isPortolanError(error) && ['ERR_SECRETS_NOT_SET_UP', 'ERR_SECRET_NAME'].includes(error.code))
      return undefined;
    throw error;
  }
}

/** Returns whether the refresh token of a login is available. */
export function hasRefreshToken(login: StoredLogin | undefined, secrets: SecretsByName): boolean {
  return valueOf(login?.refreshToken, secrets) !== undefined;
}

/**
 * Exchanges the refresh token of an earlier login for new tokens. Returns undefined when there is no refresh
 * token, the login belongs to another server, or the server rejects the token. A login without an issuer, as
 * other tools store, is tried only without a client secret, because the secret must not go to an unknown
 * server.
 */
export async function renewEarlier(
  login: StoredLogin | undefined,
  auth: RemoteAuth,
  { login: foundLogin, secrets, ownSecret }: EarlierWork,
  { web, clock }: { readonly web: OauthWeb; readonly clock: () => Date },
): Promise<TokenSet | undefined> {
  const refreshToken = valueOf(login?.refreshToken, secrets);
  if (login === undefined || refreshToken === undefined) return undefined;
  const client = clientOf(login, auth, ownSecret, secrets);
  const issuer = issuerOf(login, foundLogin);
  const isBelieved = issuer === undefined && client?.clientSecret === undefined;
  if (client === undefined || (issuer !== foundLogin.server.issuer && !isBelieved)) return undefined;
  try {
    return await refreshTokens(
      await configurationOf(foundLogin.server, client, web),
      refreshToken,
      foundLogin.resource,
      clock,
    );
  } catch (error) {
    // The caller starts a new login next, which reports an unreachable server.
    if (isPortolanError(error)) return undefined;
    throw error;
  }
}

/** Returns the OAuth client of a login; undefined when the secret of the client is missing. */
export function clientOf(
  login: StoredLogin,
  auth: RemoteAuth,
  ownSecret: string | undefined,
  secrets: SecretsByName,
): OauthClient | undefined {
  const { clientId, usesDocument } = login;
  if (clientId === auth.clientId) return { clientId, clientSecret: ownSecret };
  return usesDocument ? { clientId, clientSecret: undefined } : clientRegisteredBefore(login, secrets);
}

interface EarlierWork {
  readonly login: DiscoveredLogin;
  readonly secrets: SecretsByName;
  /** Secret of the OAuth client that the user registered manually. */
  readonly ownSecret: string | undefined;
}

/**
 * Returns the issuer of a login. Other tools store no issuer, only the address for managing the registered
 * client. That address then shows which server registered the client.
 */
export function issuerOf(
  login: StoredLogin,
  { server }: Pick<DiscoveredLogin, 'server'>,
): string | undefined {
  if (login.issuer !== undefined) return login.issuer;
  const registered = originOf(login.registrationUri);
  if (registered === undefined) return undefined;
  const places = [server.issuer, server.metadata.registration_endpoint].map(originOf);
  return places.includes(registered) ? server.issuer : registered;
}

function originOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : URL.parse(text)?.origin;
}

function valueOf(reference: string | undefined, secrets: SecretsByName): string | undefined {
  const name = reference === undefined ? undefined : findSecretReference(reference)?.name;
  return name !== undefined && Object.hasOwn(secrets, name) ? secrets[name] : undefined;
}
