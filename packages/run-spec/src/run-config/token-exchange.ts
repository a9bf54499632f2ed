import type { JsonObject } from '@portolan/plugin-api';
import { textMember } from '../document/json-members.ts';
import type { RunConfig } from './run-config.ts';

/**
 * Fills in defaults of a token exchange. Also accepts the form of other tools, where the header strategy
 * implies a custom header.
 */
export function completeTokenExchange(
  input: JsonObject | undefined,
  secret: string | undefined,
): JsonObject | undefined {
  if (input === undefined) return undefined;
  const isCustom = textMember(input, 'external_token_header_name') !== undefined;
  return {
    ...input,
    ...(secret === undefined ? {} : { client_secret: secret }),
    header_strategy: isCustom ? 'custom' : 'replace',
  };
}

/**
 * Returns the settings of the token exchange. Restrictions of addresses are those of caller authentication.
 */
export function tokenExchangeParameters({
  token_exchange_config: exchange,
  oidc_config: oidc,
}: RunConfig): JsonObject | undefined {
  if (exchange === undefined) return undefined;
  return {
    ...exchange,
    ...(oidc?.AllowPrivateIP === true ? { allow_private_ip: true } : {}),
    ...(oidc?.InsecureAllowHTTP === true ? { insecure_allow_http: true } : {}),
  };
}

/**
 * Returns whether only the exchanged token authenticates: a caller with nothing to exchange must not get the
 * workload's own access.
 */
export function isLeftToExchange(
  { token_exchange_config: exchange }: Pick<RunConfig, 'token_exchange_config'>,
  header: string,
): boolean {
  if (exchange === undefined) return false;
  const own = textMember(exchange, 'external_token_header_name') ?? '';
  return ['authorization', own.toLowerCase()].includes(header.toLowerCase());
}

export function lacksTokenExchangeSecret({ token_exchange_config: exchange }: RunConfig): boolean {
  return (
    exchange !== undefined &&
    textMember(exchange, 'client_id') !== undefined &&
    textMember(exchange, 'client_secret') === undefined
  );
}
