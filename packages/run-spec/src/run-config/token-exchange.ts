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

/** Whether its client lacks a secret. */
export function lacksTokenExchangeSecret({ token_exchange_config: exchange }: RunConfig): boolean {
  return (
    exchange !== undefined &&
    textMember(exchange, 'client_id') !== undefined &&
    textMember(exchange, 'client_secret') === undefined
  );
}
