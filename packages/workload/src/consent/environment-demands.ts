import {
  createRunConfig,
  type Grant,
  lacksTokenExchangeSecret,
  remoteAuthOf,
  type RunConfig,
  showAddress,
} from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

type Environment = WorkloadContext['environment'];
type Part = Pick<
  RunConfig,
  | 'remote_url'
  | 'remote_auth_config'
  | 'oidc_config'
  | 'token_exchange_config'
  | 'header_forward'
  | 'remote_credentials'
>;

/**
 * Returns a grant for each credential that Portolan would take from an environment variable. The user must
 * agree, because the variable may be meant for another server.
 */
export function findEnvironmentGrants(config: Part, environment: Environment): readonly Grant[] {
  const { remote_url: url, oidc_config: oidc, token_exchange_config: exchange } = config;
  const auth = remoteAuthOf(config);
  const grants: Grant[] = [];
  const send = (suffix: string, destination: string): void => {
    for (const name of [`PORTOLAN_${suffix}`, `TOOLHIVE_${suffix}`]) {
      if ((environment[name]?.trim() ?? '') === '') continue;
      const line = `sends the value of ${name} to ${showAddress(destination)}`;
      grants.push({
        kind: 'variable',
        line,
        subject: name,
        destination: showAddress(destination),
        setting: 'environment',
      });
      return;
    }
  };
  const forwards = Object.values<Readonly<Record<string, string>>>({ ...config.header_forward }).flatMap(
    Object.keys,
  );
  const isProven =
    forwards.some((name) => name.toLowerCase() === 'authorization') ||
    config.remote_credentials !== undefined;
  if (url !== '' && !isProven && auth.bearerToken === undefined && auth.bearerTokenFile === undefined)
    send('REMOTE_AUTH_BEARER_TOKEN', url);
  if (
    url !== '' &&
    auth.clientId !== undefined &&
    auth.clientSecret === undefined &&
    auth.clientSecretFile === undefined
  )
    send('REMOTE_OAUTH_CLIENT_SECRET', auth.tokenUrl ?? auth.issuer ?? url);
  if (oidc !== undefined && oidc.ClientID !== '' && oidc.ClientSecret === '')
    send('OIDC_CLIENT_SECRET', oidc.IntrospectionURL || oidc.Issuer);
  const tokenUrl = exchange?.['token_url'];
  if (
    exchange !== undefined &&
    typeof tokenUrl === 'string' &&
    lacksTokenExchangeSecret({ ...EMPTY, token_exchange_config: exchange })
  )
    send('TOKEN_EXCHANGE_CLIENT_SECRET', tokenUrl);
  return grants;
}

const EMPTY = createRunConfig({});
