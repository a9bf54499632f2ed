import {
  findSecretReference,
  isLeftToExchange,
  namedCredentials,
  type RemoteAuth,
  remoteAuthOf,
  type RunConfig,
} from '@portolan/run-spec';
import { readTokenFile } from './read-token-file.ts';

/** Values of stored secrets, by name. */
export type SecretsByName = Readonly<Record<string, string>>;
type Environment = Readonly<Record<string, string | undefined>>;

const BEARER = ['PORTOLAN_REMOTE_AUTH_BEARER_TOKEN', 'TOOLHIVE_REMOTE_AUTH_BEARER_TOKEN'] as const;
const CLIENT_SECRET = ['PORTOLAN_REMOTE_OAUTH_CLIENT_SECRET', 'TOOLHIVE_REMOTE_OAUTH_CLIENT_SECRET'] as const;

/**
 * Returns the bearer token for the remote server of a workload that uses no OAuth login. The token comes from
 * the setting, else from a file, else from the environment. Returns undefined without a token, for local
 * servers, and when a header or a token exchange already authenticates. Throws ERR_TOKEN_FILE.
 */
export async function findBearerToken(
  config: RunConfig,
  secrets: SecretsByName,
  environment: Environment,
): Promise<string | undefined> {
  if (config.remote_url === '' || provesOtherwise(config)) return undefined;
  const { bearerToken, bearerTokenFile } = remoteAuthOf(config);
  if (bearerToken !== undefined) return valueOf(bearerToken, secrets);
  if (bearerTokenFile !== undefined)
    return await readTokenFile(bearerTokenFile, '--remote-auth-bearer-token-file');
  return firstOf(BEARER, environment);
}

/**
 * Returns the secret of the user's OAuth client, from the setting, else from a file, else from the
 * environment. Ignores the environment for a client that a registry entry names. Throws ERR_TOKEN_FILE.
 */
export async function findClientSecret(
  { clientSecret, clientSecretFile, isPublishedClient }: RemoteAuth,
  secrets: SecretsByName,
  environment: Environment,
): Promise<string | undefined> {
  if (clientSecret !== undefined) return valueOf(clientSecret, secrets);
  if (clientSecretFile !== undefined)
    return await readTokenFile(clientSecretFile, '--remote-auth-client-secret-file');
  return isPublishedClient ? undefined : firstOf(CLIENT_SECRET, environment);
}

/**
 * Returns whether the workload authenticates to the remote server without a login: by a credentials kind, a
 * header, or token exchange.
 */
export function provesOtherwise(config: RunConfig): boolean {
  return (
    namedCredentials(config) !== undefined ||
    isLeftToExchange(config, 'Authorization') ||
    forwardsAuthorization(config)
  );
}

function forwardsAuthorization({ header_forward: forward }: RunConfig): boolean {
  const names = Object.values<Readonly<Record<string, string>>>({ ...forward }).flatMap(Object.keys);
  return names.some((name) => name.toLowerCase() === 'authorization');
}

function valueOf(reference: string, secrets: SecretsByName): string | undefined {
  const name = findSecretReference(reference)?.name;
  return name === undefined || !Object.hasOwn(secrets, name) ? undefined : secrets[name];
}

function firstOf(names: readonly string[], environment: Environment): string | undefined {
  return names.map((name) => environment[name]).find((value) => value !== undefined && value !== '');
}
