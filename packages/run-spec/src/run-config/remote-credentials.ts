import { isJsonObject, memberOf } from '../document/json-members.ts';
import type { NamedMiddleware } from './middleware-of.ts';
import { remoteAuthOf } from './remote-auth.ts';
import type { RunConfig } from './run-config.ts';

/** Kind of credentials for which `run` and `login` log the user in. */
export const LOGIN_CREDENTIALS = 'oauth';

type Proving = Pick<
  RunConfig,
  'remote_url' | 'remote_auth_config' | 'remote_credentials' | 'token_exchange_config'
>;

/** Returns the kind of credentials and its settings; undefined for a login. */
export function namedCredentials({
  remote_credentials: document,
}: Pick<RunConfig, 'remote_credentials'>): NamedMiddleware | undefined {
  const type = memberOf(document, 'type');
  const parameters = memberOf(document, 'parameters');
  if (typeof type !== 'string' || type === LOGIN_CREDENTIALS) return undefined;
  return {
    type,
    parameters: isJsonObject(parameters) ? parameters : undefined,
    place: 'remote_credentials.parameters',
  };
}

/**
 * Returns problems of the credentials with their paths. It does not check that the kind exists, because
 * plugins define the kinds.
 */
export function findCredentialsFaults(config: Proving): readonly string[] {
  const { remote_credentials: document } = config;
  if (document === undefined) return [];
  const { type, parameters } = document;
  const other = Object.keys(document).find((key) => key !== 'type' && key !== 'parameters');
  const hasParameters = parameters !== undefined && parameters !== null;
  const isLogin = type === LOGIN_CREDENTIALS;
  const faults: readonly (readonly [isWrong: boolean, fault: string])[] = [
    [typeof type !== 'string' || type === '', 'remote_credentials.type: expected the name of a kind'],
    [hasParameters && !isJsonObject(parameters), 'remote_credentials.parameters: expected a map'],
    [
      isLogin && hasParameters,
      'remote_credentials.parameters: expected none, since those of a login stand in remote_auth_config',
    ],
    [
      other !== undefined,
      `remote_credentials: found the unknown key ${JSON.stringify(other?.slice(0, 60))}; expected type, parameters`,
    ],
    [config.remote_url === '', 'remote_credentials: expected remote_url beside it'],
    [
      !isLogin && provesItself(config),
      'remote_credentials: expected no login and no bearer token in remote_auth_config beside it',
    ],
    [
      !isLogin && config.token_exchange_config !== undefined,
      'remote_credentials: expected no token_exchange_config beside it, which sends tokens of callers alone',
    ],
  ];
  return faults.flatMap(([isWrong, fault]) => (isWrong ? [fault] : []));
}

function provesItself(config: Proving): boolean {
  const { isWanted, bearerToken, bearerTokenFile } = remoteAuthOf(config);
  return isWanted === true || bearerToken !== undefined || bearerTokenFile !== undefined;
}
