import type { JsonObject } from '@portolan/plugin-api';
import { completeTokenExchange } from '../run-config/token-exchange.ts';
import type { RunConfig } from '../run-config/run-config.ts';
import type { MergedSettings } from './merged-settings.ts';
import { writePlain } from './plain-settings.ts';

/** Returns the part of a run config that is known before its image: plain settings and policies. */
export function policyPartOf(settings: MergedSettings): Partial<RunConfig> {
  const plain = writePlain(settings);
  // Written by the table of flags.
  const exchange = plain['token_exchange_config'] as JsonObject | undefined;
  return {
    ...plain,
    oidc_config: settings.oidc,
    token_exchange_config: completeTokenExchange(exchange, settings.tokenExchangeSecret?.value),
    ...Object.fromEntries([...settings.policyFields].map(([field, { value }]) => [field, value])),
  };
}
