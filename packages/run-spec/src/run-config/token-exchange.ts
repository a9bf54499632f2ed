import type { JsonObject } from '@portolan/plugin-api';
import { textMember } from '../document/json-members.ts';
import type { RunConfig } from './run-config.ts';

/** The field as other tools write it too: a header of its own is a strategy there. */
export function completeTokenExchange(
  given: JsonObject | undefined,
  secret: string | undefined,
): JsonObject | undefined {
  if (given === undefined) return undefined;
  const isCustom = textMember(given, 'external_token_header_name') !== undefined;
  return {
    ...given,
    ...(secret === undefined ? {} : { client_secret: secret }),
    header_strategy: isCustom ? 'custom' : 'replace',
  };
}

/** Settings of the kind that exchanges tokens; which addresses it may ask is said once for all that is asked about callers. */
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
 * Whether the proxy may not send a header of the workload's own to its server:
 * where tokens are exchanged, who asks is proved by what was exchanged alone. Else
 * a caller who has nothing to exchange would get what the workload may
 * (run-formats.md 16).
 */
export function isLeftToExchange(
  { token_exchange_config: exchange }: Pick<RunConfig, 'token_exchange_config'>,
  header: string,
): boolean {
  if (exchange === undefined) return false;
  const own = textMember(exchange, 'external_token_header_name') ?? '';
  return ['authorization', own.toLowerCase()].includes(header.toLowerCase());
}

/** Whether its client lacks a secret. */
export function lacksTokenExchangeSecret({ token_exchange_config: exchange }: RunConfig): boolean {
  return (
    exchange !== undefined &&
    textMember(exchange, 'client_id') !== undefined &&
    textMember(exchange, 'client_secret') === undefined
  );
}
