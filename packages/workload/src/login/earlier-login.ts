import {
  configurationOf,
  type FoundLogin,
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
import { clientRegisteredBefore } from './login-client.ts';
import type { SecretsByName } from './remote-secrets.ts';
import { secretNamesOf } from './stored-login.ts';

/**
 * Secrets that an earlier login has left, by name: also one of another tool, whose
 * file is run. None where another workload has them: a refresh token that two use is
 * taken back by the authorization server.
 */
export async function findEarlierSecrets(
  { name: workload }: Pick<RunConfig, 'name'>,
  login: StoredLogin | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<SecretsByName> {
  if (login === undefined) return {};
  const found: { [name: string]: string } = {};
  for (const name of secretNamesOf(login)) {
    const users = await findSecretUsers(name, context.store);
    if (users.some((user) => user !== workload)) return {};
    const value = await findIfStored(name, ownerOf(workload, [], context.store), context, signal);
    if (value !== undefined) found[name] = value;
  }
  return found;
}

/** Where nobody has chosen a store there is nothing in it. */
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

/** Whether anything secret of a login is there that could be traded for tokens. */
export function hasRefreshToken(login: StoredLogin | undefined, secrets: SecretsByName): boolean {
  return valueOf(login?.refreshToken, secrets) !== undefined;
}

/**
 * New tokens for the refresh token of an earlier login;
 * undefined where there is none, it is of another server, or the server gives
 * nothing for it. A file that does not say of which server it is, as those of other
 * tools, is believed once, and for a client without a secret alone: a secret
 * goes to the server that it is known to be of.
 */
export async function renewEarlier(
  login: StoredLogin | undefined,
  auth: RemoteAuth,
  { found, secrets, ownSecret }: EarlierWork,
  { web, clock }: { readonly web: OauthWeb; readonly clock: () => Date },
): Promise<TokenSet | undefined> {
  const refreshToken = valueOf(login?.refreshToken, secrets);
  if (login === undefined || refreshToken === undefined) return undefined;
  const client = clientOf(login, auth, ownSecret, secrets);
  const issuer = issuerOf(login, found);
  const isBelieved = issuer === undefined && client?.clientSecret === undefined;
  if (client === undefined || (issuer !== found.server.issuer && !isBelieved)) return undefined;
  try {
    return await refreshTokens(
      await configurationOf(found.server, client, web),
      refreshToken,
      found.resource,
      clock,
    );
  } catch (error) {
    // The login is made anew; a server that is away is told of there.
    if (isPortolanError(error)) return undefined;
    throw error;
  }
}

/** As which client a login was made; undefined where what proves it is not there. */
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
  readonly found: FoundLogin;
  readonly secrets: SecretsByName;
  /** Of the client that the user has registered. */
  readonly ownSecret: string | undefined;
}

/**
 * The server that a login is of, where the file says it; other tools keep only where
 * a client is looked after, which is at the server that has registered it.
 */
export function issuerOf(login: StoredLogin, { server }: Pick<FoundLogin, 'server'>): string | undefined {
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
